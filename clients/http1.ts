/**
 * Has undici speak HTTP/1.1. By HTTP/2 a connection that was idle for long can throw where nobody catches it, which ends the process
 * (undici 8.12, `socket idle timeout` at a stream that was read already).
 */
export const http1 = { allowH2: false } as const;
