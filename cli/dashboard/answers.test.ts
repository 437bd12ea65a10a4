import { expect, it } from 'vitest';

interface Asking {
  readonly name: string;
  readonly isSent: boolean;
  readonly answer?: Answer;
}
interface Answer {
  readonly ok: boolean;
  readonly message: string;
}
interface Asked {
  asking: Asking | undefined;
  answers: readonly { readonly asked: Asking; readonly answer: Answer }[];
}

// It is made for browsers, whose types nothing else here knows.
const { sendAsking, dismiss } = (await import(new URL('assets/answers.mjs', import.meta.url).href)) as {
  readonly sendAsking: (
    state: Asked,
    reason: string,
    by: {
      readonly ask: (asked: Asking, reason: string) => Promise<Answer>;
      readonly draw: () => void;
    },
  ) => Promise<void>;
  readonly dismiss: (state: Asked, read: Asked['answers'][number]) => void;
};

const refused = { ok: false, message: 'No rollout is running; the Cell is Reverted.' };

/** A page on which something is asked, and the server's answers to it. */
function aPage(name: string) {
  const state: Asked = { asking: { name, isSent: false }, answers: [] };
  const sent: string[] = [];
  const open: ((answer: Answer) => void)[] = [];
  const drawn: Asked[] = [];
  const send = (reason: string): Promise<void> =>
    sendAsking(state, reason, {
      ask: (asked, why) => {
        sent.push(`${asked.name}: ${why}`);
        return new Promise((resolve) => open.push(resolve));
      },
      draw: () => drawn.push({ ...state }),
    });
  return { state, sent, open, drawn, send };
}

it('answers a request where it was asked', async () => {
  const { state, sent, open, drawn, send } = aPage('a');
  const sending = send('errors');
  expect(drawn).toEqual([{ asking: { name: 'a', isSent: true }, answers: [] }]);
  // Whoever presses twice asks once.
  await send('errors');
  open[0]?.(refused);
  await sending;
  expect(sent).toEqual(['a: errors']);
  expect(state).toEqual({ asking: { name: 'a', isSent: true, answer: refused }, answers: [] });
  expect(drawn.at(-1)).toEqual(state);
});

it('has the answer to a request whose dialog is closed stand on the page until it is dismissed', async () => {
  const { state, open, drawn, send } = aPage('a');
  const sending = send('errors');
  state.asking = undefined;
  open[0]?.(refused);
  await sending;
  expect(state).toEqual({
    asking: undefined,
    answers: [{ asked: { name: 'a', isSent: true }, answer: refused }],
  });
  expect(drawn.at(-1)).toEqual(state);
  dismiss(state, state.answers[0]!);
  expect(state.answers).toEqual([]);
});

it.each(['b', 'a'])('leaves the dialog alone in which something is asked of %s since', async (name) => {
  const { state, sent, open, send } = aPage('a');
  const first = send('errors');
  state.asking = { name, isSent: false };
  open[0]?.(refused);
  await first;
  expect(state.asking).toEqual({ name, isSent: false });
  expect(state.answers).toMatchObject([{ asked: { name: 'a' }, answer: refused }]);
  const second = send('errors as well');
  open[1]?.({ ok: true, message: 'It is aborted.' });
  await second;
  expect(sent).toEqual(['a: errors', `${name}: errors as well`]);
  expect(state.asking).toMatchObject({ name, answer: { ok: true } });
});
