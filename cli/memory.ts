import { setFlagsFromString } from 'node:v8';

// V8 lets garbage grow to several times what is alive before it looks for it, on a machine with much memory. What okrad
// reads of many clusters is garbage a moment later, so that most of its memory would be that. It is set before anything
// else is loaded: what has grown stays.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=30');
