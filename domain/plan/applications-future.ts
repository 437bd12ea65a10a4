import type { CellStatus } from '../../crds/cell.ts';
import { childOf } from '../applications/child.ts';
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedRevision,
} from '../applications/observation.ts';
import { secretsFor, unusedSecrets, writtenSecret } from '../applications/secrets.ts';
import type { ApplicationAction } from '../applications/situation.ts';
import { VERSION_LABEL } from '../kubernetes/labels.ts';
import { omit } from '../model/fields.ts';
import type { ObservedCell } from '../model/observation.ts';
import { runAhead, type Ahead } from './run-ahead.ts';

/** What is outside of a Cell with applications: the Cell, and the Cells of its applications. */
export interface ApplicationsAsSeen {
  readonly observed: ObservedApplications;
  /** By the name of the application. */
  readonly children: Readonly<Record<string, ObservedCell>>;
}

type ApplyChild = Extract<ApplicationAction, { do: 'ApplyChild' }>;

/** The objects of a Cell with applications that is run ahead: Argo CD deploys at once, what measures is successful, and the traffic moves by the plans of its Cells. */
export class ApplicationsFuture {
  #seen: ObservedApplications;
  readonly #children: Map<string, ObservedCell>;

  constructor({ observed, children }: ApplicationsAsSeen) {
    this.#seen = observed;
    this.#children = new Map(Object.entries(children));
  }

  /** What a look at the objects shows. */
  get seen(): ObservedApplications {
    return this.#seen;
  }

  /** The status was written. */
  report(status: CellStatus): void {
    const { cell } = this.#seen;
    if (cell !== undefined) this.#seen = { ...this.#seen, cell: { ...cell, status } };
  }

  /** Every Freeze was lifted. */
  lift(): void {
    this.#seen = { ...this.#seen, freezes: [] };
  }

  /** Does what was decided; answers with what the Cell of the application does then, when that has changed. */
  perform(application: string, action: ApplicationAction, now: number): Ahead | undefined {
    if (action.do === 'ApplyChild') return this.#applyChild(application, action, now);
    this.#seen = performed(this.#seen, application, action);
    return undefined;
  }

  #applyChild(application: string, { number, keep }: ApplyChild, now: number): Ahead {
    const { cell, key, freezes } = this.#seen;
    const known = this.#children.get(application);
    const revision = revisionOf(this.#seen, application, number);
    const child = cell && childOf({ cell: { name: key.name, spec: cell.spec }, revision });
    if (child === undefined) throw new TypeError(`Expected ${application} to have alb, got none.`);
    const { name, spec } = child;
    const groups = child.targetGroups.map(({ labels, ...one }) => ({
      ...one,
      version: labels[VERSION_LABEL] ?? '',
    }));
    const kept = keep === undefined ? [] : revisionOf(this.#seen, application, keep).content.targetGroups;
    const others = (known?.selected ?? []).filter(
      ({ arn }) => kept.some((one) => one.arn === arn) && !groups.some((one) => one.arn === arn),
    );
    const selected = [...others, ...groups];
    // The plan assumes that clusters are ready, and earlier applications are in place by then.
    const before = omit(known ?? nothingOf({ ...key, name }), 'waitsFor', 'behind');
    const { status = {}, generation: last = 0, uid = application } = before.cell ?? {};
    const generation = last + 1;
    const edited = { uid, generation, spec, status, problems: [] };
    const ahead = runAhead({ ...before, cell: edited, selected, freezes }, now);
    this.#children.set(application, ahead.observed);
    const reached = { uid, generation, revision: number, status: ahead.observed.cell?.status ?? {} };
    this.#seen = withChange(this.#seen, application, () => ({
      child: { name, isOwn: true, isDeleting: false, isAsDesired: true, ...reached },
      targetGroups: selected.map((group) => ({ version: '', ...group, isOwn: true })),
    }));
    return ahead;
  }
}

const withChange = (
  seen: ObservedApplications,
  application: string,
  change: (before: ObservedApplication) => Partial<ObservedApplication>,
): ObservedApplications => ({
  ...seen,
  applications: seen.applications.map((one) => (one.name === application ? { ...one, ...change(one) } : one)),
});

function revisionOf(
  { applications }: ObservedApplications,
  application: string,
  number: number,
): ObservedRevision {
  const { revisions = [] } = applications.find(({ name }) => name === application) ?? {};
  const found = revisions.find((one) => one.number === number);
  if (found === undefined) throw new TypeError(`Expected revision ${number} of ${application}, got none.`);
  return found;
}

/** The objects after something was done for an application that is not about its Cell. */
function performed(
  seen: ObservedApplications,
  application: string,
  action: Exclude<ApplicationAction, ApplyChild>,
): ObservedApplications {
  const edit = (change: Parameters<typeof withChange>[2]) => withChange(seen, application, change);
  switch (action.do) {
    case 'SaveRevision': {
      const { number, hash, version } = action;
      return edit(({ resolved, revisions }) => {
        if (!resolved.ok) throw new TypeError(`Expected ${application} to come to something, got problems.`);
        return {
          revisions: [{ number, hash, version, isGood: false, content: resolved.value }, ...revisions],
        };
      });
    }
    case 'MarkGood':
      return edit(({ revisions }) => ({
        revisions: revisions.map((one) => (one.number === action.number ? { ...one, isGood: true } : one)),
      }));
    case 'ApplySecrets': {
      const { content } = revisionOf(seen, application, action.number);
      const made = secretsFor(application, content, seen.secrets).map(({ cluster, asking }) =>
        writtenSecret(cluster, asking),
      );
      const others = seen.secrets.filter((one) => !made.some(({ name }) => name === one.name));
      return deployed({ ...seen, secrets: [...others, ...made] });
    }
    case 'RemoveLabels': {
      const kept = action.number === 0 ? [] : revisionOf(seen, application, action.number).content.clusters;
      const secrets = seen.secrets.map((one) =>
        kept.some(({ secretName }) => secretName === one.name)
          ? one
          : { ...one, applications: omit(one.applications, application) },
      );
      return deployed({ ...seen, secrets });
    }
    case 'DeleteSecrets': {
      const unused = unusedSecrets(seen.secrets);
      return { ...seen, secrets: seen.secrets.filter((one) => !unused.includes(one)) };
    }
    case 'StartCheck':
      return edit(({ measurements }) => ({
        measurements: [...measurements, { name: action.name, phase: 'Successful', message: '' }],
      }));
    case 'TerminateCheck':
      return edit(({ measurements }) => ({
        measurements: measurements.map((one) =>
          one.name === action.name ? { ...one, phase: 'Successful', isEnding: true } : one,
        ),
      }));
    case 'Forward':
      return seen;
  }
}

/** Argo CD deploys an application wherever a secret asks for it, and nowhere else. */
const deployed = (seen: ObservedApplications): ObservedApplications => ({
  ...seen,
  applications: seen.applications.map((one) => {
    if (one.deployments === undefined) return one;
    const deployments = seen.secrets
      .filter(({ applications }) => Object.hasOwn(applications, one.name))
      .map(({ name }) => ({ secretName: name, isPresent: true, isHealthy: true, message: '' }));
    return { ...one, deployments };
  }),
});

const nothingOf = (key: ObservedCell['key']): ObservedCell => ({
  key,
  digest: '',
  selected: [],
  freezes: [],
  weighted: [],
  isApplied: true,
  sequence: 0,
});
