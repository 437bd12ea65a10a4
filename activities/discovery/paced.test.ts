import { expect, it } from 'vitest';
import { answerInterval } from './lifetime.ts';

it('has an answer say after how many seconds to look again, and leaves alone what is none', async () => {
  const activities = answerInterval(
    {
      look: (name: string) => Promise.resolve({ name, isPresent: true }),
      wake: () => Promise.resolve(undefined),
    },
    30,
  );
  expect(await activities.look('web')).toEqual({ name: 'web', isPresent: true, intervalSeconds: 30 });
  expect(await activities.wake()).toBeUndefined();
});
