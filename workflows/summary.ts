import { cutToBytes } from '../domain/text.ts';

/** A summary as long as Temporal takes it: up to 400 bytes. */
export const inShort = (summary: string): string => cutToBytes(summary, 200);
