import { describe, expect, it } from 'vitest';
import { groupsToWrite } from './child.ts';

const wanted = (name: string, arn: string) => ({ name, arn, labels: {} });
const found = (name: string, arn: string, isOwn = true) => ({ name, arn, version: '1', isOwn });

const plan = (of: Partial<Parameters<typeof groupsToWrite>[0]>) => {
  const made = groupsToWrite({ wanted: [], found: [], version: '2', kept: [], ...of });
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  return { ...made, create: names(made.create), relabel: names(made.relabel) };
};

describe('the AWSTargetGroups of a revision', () => {
  it('are created beside those of another revision, which are kept', () => {
    expect(plan({ wanted: [wanted('new', 'b')], found: [found('old', 'a')], kept: ['a'] })).toEqual({
      create: ['new'],
      relabel: [],
      remove: [],
    });
  });

  it('go when no revision has them any more', () => {
    expect(
      plan({ wanted: [wanted('new', 'b')], found: [found('old', 'a'), found('new', 'b')] }),
    ).toMatchObject({
      create: [],
      relabel: ['new'],
      remove: ['old'],
    });
  });

  it('keep the name that a target group is known by', () => {
    expect(plan({ wanted: [wanted('renamed', 'a')], found: [found('old', 'a')] })).toMatchObject({
      create: [],
      relabel: ['old'],
    });
  });

  it('get another name where that of the cluster is taken by a target group that serves', () => {
    expect(plan({ wanted: [wanted('c1', 'b')], found: [found('c1', 'a')], kept: ['a'] })).toMatchObject({
      create: ['c1-2'],
      remove: [],
    });
  });

  it('take no name from another cluster whose target group serves', () => {
    const there = [found('c1', 'a'), found('c1-2', 'x')];
    expect(plan({ wanted: [wanted('c1', 'b')], found: there, kept: ['a', 'x'] })).toMatchObject({
      create: ['c1-2-2'],
      remove: [],
    });
  });

  it('get names that differ where several target groups are made anew', () => {
    const there = [found('web', 'a'), found('web-2', 'x')];
    expect(
      plan({ wanted: [wanted('web', 'b'), wanted('web-2', 'y')], found: there, kept: ['a', 'x'] }),
    ).toMatchObject({ create: ['web-2-2', 'web-2-2-2'] });
  });

  it('do not remove what is of someone else', () => {
    expect(plan({ wanted: [wanted('c1', 'b')], found: [found('c1', 'x', false)] })).toMatchObject({
      remove: [],
    });
  });
});
