import { createHash } from 'node:crypto';

/** A short name for a text that differs whenever the text does: its SHA-256 in hexadecimal. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
