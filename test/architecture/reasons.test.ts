import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applicationPhases } from '../../crds/cell-status.ts';
import { failures } from '../../domain/failures.ts';
import type { Wait } from '../../domain/model/decision.ts';
import { shiftPurposes } from '../../domain/model/shift-purpose.ts';
import { WORKFLOW_STUCK } from '../../domain/model/stuck-run.ts';
import { NOT_MEASURED, measurementKinds } from '../../domain/rollout/measure/analysis.ts';

const root = join(import.meta.dirname, '../..');

const PAGE = 'docs/troubleshooting.md';

/** What a Cell waits for, and what it changes weights for; its status says both. One that is missing does not compile. */
const waits: Readonly<Record<Wait['for'], true>> = {
  Resume: true,
  Pause: true,
  Analysis: true,
  Experiment: true,
  Check: true,
  Job: true,
  Approval: true,
  Verdict: true,
  Health: true,
  Backoff: true,
  Settle: true,
  Bake: true,
  Window: true,
  Freeze: true,
  Clusters: true,
  Application: true,
  Removal: true,
  Detach: true,
};

/** These stand in no status: while groups at weight 0 wait to leave, and when a Cell is refused something, its status says that instead. */
const untold = ['WaitingForDetach', 'DetachingTargetGroups', 'WaitingForBackoff'];

const told = [...Object.keys(waits).map((what) => `WaitingFor${what}`), ...Object.keys(shiftPurposes)].filter(
  (reason) => !untold.includes(reason),
);
const measurements = Object.values(measurementKinds);

interface Part {
  /** The heading on the page. */
  readonly heading: string;
  /** The files, or how their paths begin, that these reasons are in. */
  readonly sources: readonly string[];
  /** Those that tables in the code have. */
  readonly known?: readonly string[];
}

/** The parts of the page, and the code that each is about; a file belongs to the first that names it. */
const parts: readonly Part[] = [
  {
    heading: 'What is refused',
    sources: [
      'activities/load-balancers/',
      'activities/rollout/traffic.ts',
      'activities/failure.ts',
      'workflows/',
    ],
    known: Object.keys(failures),
  },
  {
    heading: 'Events of a Cell',
    sources: ['domain/rollout/report/events.ts'],
    known: [...measurements.map(({ started }) => started), WORKFLOW_STUCK],
  },
  {
    heading: 'Cell',
    sources: ['domain/rollout/', 'domain/versions/', 'domain/gates/', 'domain/steps/', 'domain/model/'],
    known: [...told, NOT_MEASURED, ...measurements.map(({ failed }) => failed), WORKFLOW_STUCK],
  },
  { heading: 'Load balancer configurations', sources: ['domain/load-balancers/'] },
  {
    heading: 'AWSTargetGroup',
    sources: ['domain/discovery/target-group/', 'activities/discovery/target-group/'],
  },
  {
    heading: 'ClusterSet',
    sources: ['domain/discovery/cluster-set/', 'activities/discovery/cluster-set/'],
  },
  {
    heading: 'AWSTargetGroupSet',
    sources: ['domain/discovery/target-group-set/', 'activities/discovery/target-group-set/'],
  },
  {
    heading: 'AWSTargetGroupBinding',
    sources: [
      'domain/discovery/target-group-binding/',
      'domain/discovery/clusters/cluster-vpc.ts',
      'activities/discovery/target-group-binding/',
    ],
  },
  {
    heading: 'Clusters and syncs',
    sources: ['domain/discovery/', 'activities/discovery/', 'activities/kubernetes/'],
  },
  { heading: 'Check', sources: ['domain/checks/', 'activities/checks/'] },
  {
    heading: 'Cells with applications',
    sources: ['domain/applications/', 'activities/applications/', 'domain/plan/'],
    known: [
      'Checking',
      NOT_MEASURED,
      'Migrating',
      'WaitingForApplicationSet',
      'WaitingForCell',
      'WaitingForApplication',
      'WaitingForFreeze',
      'WaitingForWindow',
      'Deleting',
      'Stopped',
      'NoRevisionToRollBackTo',
      'StillServing',
      'Reverted',
      'Aborted',
      'InvalidApplication',
      'Progressing',
      'PrecheckFailed',
      'CheckFailed',
      ...applicationPhases.map((phase) => `Application${phase}`),
    ],
  },
  { heading: 'StagedBindingPolicy', sources: ['domain/staged/', 'activities/staged/'] },
];

/** What looks like a reason and stands in no status: of a login, which is told as `AccessDenied`, and of a Cell that is gone. */
const notTold = ['LoginFailed', 'Deleted'];

const files = ['activities', 'domain', 'workflows']
  .flatMap((room) =>
    readdirSync(join(root, room), { recursive: true }).map((file) => posix.join(room, String(file))),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/'));

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Where code says a reason: a field or a variable of that name, a comparison with one, what makes a decision or a problem, and the table of Events. */
const places: readonly RegExp[] = [
  /\breason(?:: | = )(?!string)([^,;\n]*)/g,
  /\breason === ('\w+')/g,
  /\b(?:fail|withdraw|normal|warning|problem|withProblem)\(\s*((?:\w+,\s*)?[^,)]*)/g,
  /\b(?:close|ended)\(\s*'\w+',\s*('\w+')/g,
  /\bfunction reasonOf\(([\s\S]*?)\n\}/g,
  /^const reasons: Readonly<([\s\S]*?)\n\};/gm,
];

/** A word in quotes that is neither what something is compared with, nor part of a type. */
const WORD = /(?<!=== |[<|] )'([A-Z][A-Za-z]+)'(?! \|)/g;

function reasonsIn(file: string): readonly string[] {
  const text = textOf(file);
  const said = places.flatMap((place) =>
    [...text.matchAll(place)].flatMap(([, part = '']) => [...part.matchAll(WORD)]),
  );
  return said.map(([, reason = '']) => reason).filter((reason) => !notTold.includes(reason));
}

const isOf = (file: string, { sources }: Part): boolean => sources.some((source) => file.startsWith(source));

const partOf = (file: string): Part | undefined => parts.find((part) => isOf(file, part));

/** The reasons that the rows of a part of the page begin with. */
function rowsOf(heading: string): readonly string[] {
  const [, text = ''] = textOf(PAGE).split(`\n## ${heading}\n`);
  const [own = ''] = text.split('\n## ');
  const cells = [...own.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason));
}

const isFailure = (reason: string): boolean => Object.hasOwn(failures, reason);

/** Each reason once, by name. */
const each = (reasons: readonly string[]): readonly string[] => [...new Set(reasons)].toSorted();

describe('the reasons that a status can show', () => {
  const inCode = files.map((file) => [file, reasonsIn(file)] as const);

  it('are all in a part of the code that the page is about', () => {
    const homeless = inCode.filter(([file, reasons]) => reasons.length > 0 && partOf(file) === undefined);
    expect(homeless).toEqual([]);
  });

  it.each(parts)('are explained under $heading, and nothing else is', (part) => {
    const { heading, known = [] } = part;
    const said = inCode.filter(([file]) => partOf(file) === part).flatMap(([, reasons]) => reasons);
    // What is refused is explained once, for all kinds.
    const isOwn = (reason: string): boolean => !isFailure(reason) || known.includes(reason);
    const rows = rowsOf(heading);
    expect(each(rows)).toEqual(each([...said, ...known].filter(isOwn)));
    expect(rows).toEqual([...new Set(rows)]);
  });
});
