import { setFlagsFromString } from 'node:v8';

// V8 lets garbage grow to several times what is alive before it looks for it, on a machine with much memory. What okrad
// reads of many clusters is garbage a moment later, so that most of its memory would be that. The room for what is new is
// bounded before anything else is loaded: what has grown stays.
setFlagsFromString('--semi-space-growth-factor=1');

/** Has garbage looked for before it is a third of what is alive. For when all is loaded: until then nearly all stays alive, and each look for garbage is in vain, an eighth of the processor time of a start. */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=30');
}
