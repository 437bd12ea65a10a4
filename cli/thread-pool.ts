// The system looks names up in threads of libuv: four, unless told otherwise before the first one is used, of which lookups
// get no more than half. Two names that others have written, and whose server does not answer, would have Okra's own names
// wait: those of the API server, of AWS and of Temporal. So there are threads for all names of others that are looked up
// at once (clients/kubernetes/name-lookups.ts), and some more.
const LEAST = 28;
// The most that libuv makes. It reads the digits that a number begins with, so that of 1e+22 it would make one.
const MOST = 1024;

const wanted = Number(process.env['UV_THREADPOOL_SIZE']) || 0;
process.env['UV_THREADPOOL_SIZE'] = String(Math.min(MOST, Math.max(LEAST, wanted)));
