/** Told what a part of the process waits for, in a sentence; undefined when that is there. */
export type Waiting = (reason: string | undefined) => void;

/** Takes the word for those who do not want to know. */
export const unheard: Waiting = () => undefined;
