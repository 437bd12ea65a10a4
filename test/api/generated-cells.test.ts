import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { resources } from '../../crds/index.ts';
import { dryRun, type Judgement } from '../support/dry-run.ts';
import { samples } from '../support/samples/crds.ts';
import { wholeCells } from '../support/samples/generate.ts';
import { mutated } from '../support/samples/mutate.ts';

interface Generated {
  readonly kind: string;
  readonly spec: unknown;
}

/** What is generated is the same in every run; a failure says by which seed and path it is found again. */
const SEED = 20_261_121;

function judgeByZod({ kind, spec }: Generated): Judgement {
  const found = resources.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`Expected a kind of Okra, got ${kind}.`);
  const parsed = found.parseSpec(withoutEmptied(spec));
  return parsed.ok
    ? { accepted: true, value: parsed.value }
    : { accepted: false, why: parsed.problems.join('\n') };
}

/** What the API server makes of fields that were left empty: it drops them, so that nobody has to read null. */
function withoutEmptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptied);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmptied(one)]));
}

/** What is left of a value on its way over the network. */
function sent(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

/** What both have to agree on; each says in its own words why it refuses. */
const answerOf = (judgement: Judgement): object => (judgement.accepted ? judgement : { accepted: false });

// Labels that stand in a nodeSelector by themselves are fields that the API server keeps without judging them.
const good = samples.filter((one) => one.refusal === undefined && one.name !== 'nodes by bare labels');

describe('generated objects', () => {
  const judgeByServer = dryRun(inject('stack').kubeconfig);

  async function compare(generated: Generated): Promise<boolean> {
    const { kind } = generated;
    const spec = sent(generated.spec);
    const [zod, server] = [judgeByZod({ kind, spec }), await judgeByServer(kind, spec)];
    const said = JSON.stringify({ zod, server }, undefined, 1);
    expect(answerOf(zod), `Expected the same answer from both, got ${said}.`).toEqual(answerOf(server));
    return server.accepted;
  }

  it.each<[string, fc.Arbitrary<Generated>, number]>([
    ['whole Cells', wholeCells.map((spec) => ({ kind: 'Cell', spec })), 400],
    ['changed samples of Cells', mutated(good.filter(({ kind }) => kind === 'Cell')), 400],
    ['changed samples of the other kinds', mutated(good.filter(({ kind }) => kind !== 'Cell')), 200],
  ])('%s get the same answer from zod and from the API server', async (_, generated, numRuns) => {
    const answers = { accepted: 0, refused: 0 };
    const property = fc.asyncProperty(generated, async (one) => {
      answers[(await compare(one)) ? 'accepted' : 'refused'] += 1;
    });
    await fc.assert(property, { seed: SEED, numRuns });
    expect(answers.accepted).toBeGreaterThanOrEqual(numRuns / 4);
    expect(answers.refused).toBeGreaterThanOrEqual(numRuns / 4);
  });
});
