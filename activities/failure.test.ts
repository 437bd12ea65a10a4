import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../clients/kubernetes.ts';
import { toFailure } from './failure.ts';

const refused = (message: string): Error =>
  toFailure(new KubernetesError({ status: 422, reason: 'Invalid', message }));

describe('a failure', () => {
  it('says what was answered, and keeps the answer', () => {
    expect(refused('status.phase: Unsupported value')).toMatchObject({
      type: 'InvalidObject',
      message: 'status.phase: Unsupported value',
      cause: { name: 'KubernetesError' },
    });
  });

  it('keeps of a whole page as much as a person would read, and nowhere the rest', () => {
    const failed = refused('<p>'.repeat(50_000));
    expect(failed.message).toHaveLength(4096);
    expect(failed.message.endsWith('…')).toBe(true);
    expect(failed.cause).toBeUndefined();
  });
});
