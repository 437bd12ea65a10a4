import { expect, it } from 'vitest';
import { stale } from './generate.ts';

it('the page of the metrics says what the tables say', () => expect(stale()).toEqual([]));
