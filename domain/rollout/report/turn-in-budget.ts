/** Says that a write waits for its turn in the write budget, and what it is. */
export const waitingForTurn = (message: string): string =>
  `Waiting for a turn in the write budget of the account. Next: ${message}`;
