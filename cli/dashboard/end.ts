import type { ServerResponse } from 'node:http';

// Within a text of JSON alone: in all else there is none.
const TURNING = /\p{Bidi_Control}/gu;

/** Writes JSON for the page, without what would turn the direction of a text, and show it in another order than it is in. */
export const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(TURNING, '');

/** Answers with JSON. */
export function end(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(jsonOf(body));
}
