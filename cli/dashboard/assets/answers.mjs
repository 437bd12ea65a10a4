/** @typedef {import('./asking.mjs').Asking} Asking */
/** @typedef {import('./asking.mjs').Answer} Answer */
/** @typedef {{ asking: Asking | undefined, answers: readonly { asked: Asking, answer: Answer }[] }} Asked */

/**
 * Sends what is asked, and has its answer stand where it was asked, or on the page when that dialog is closed by then.
 * @param {Asked} state
 * @param {string} reason
 * @param {{ ask: (asked: Asking, reason: string) => Promise<Answer>, draw: () => void }} by
 * @returns {Promise<void>}
 */
export async function sendAsking(state, reason, { ask, draw }) {
  if (state.asking === undefined || state.asking.isSent) return;
  const asked = { ...state.asking, isSent: true };
  state.asking = asked;
  draw();
  const answer = await ask(asked, reason);
  // Meanwhile something else may be asked, which keeps its dialog.
  if (state.asking === asked) state.asking = { ...asked, answer };
  else state.answers = [...state.answers, { asked, answer }];
  draw();
}

/**
 * Takes an answer from the page that was read.
 * @param {Asked} state
 * @param {Asked['answers'][number]} read
 */
export function dismiss(state, read) {
  state.answers = state.answers.filter((one) => one !== read);
}
