import { omit } from '../model/fields.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { childOf } from '../applications/child.ts';
import type { ApplicationAction } from '../applications/situation.ts';
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedRevision,
  Resolved,
} from '../applications/observation.ts';
import { secretsFor, unusedSecrets, writtenSecret } from '../applications/secrets.ts';
import { VERSION_LABEL } from '../kubernetes/labels.ts';
import type { ObservedCell } from '../model/observation.ts';
import { runAhead, type Ahead } from './run-ahead.ts';

/** What is outside of a Cell with applications: the Cell, and the Cells of its applications. */
export interface ApplicationsAsSeen {
  readonly observed: ObservedApplications;
  /** By the name of the application. */
  readonly children: Readonly<Record<string, ObservedCell>>;
}

type Change<Name extends ApplicationAction['do']> = Extract<ApplicationAction, { do: Name }>;

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
    switch (action.do) {
      case 'SaveRevision':
        this.#save(application, action);
        return undefined;
      case 'MarkGood':
        this.#edit(application, ({ revisions }) => ({
          revisions: revisions.map((one) => (one.number === action.number ? { ...one, isGood: true } : one)),
        }));
        return undefined;
      case 'ApplySecrets':
        this.#applySecrets(application, this.#revision(application, action.number).content);
        return undefined;
      case 'RemoveLabels':
        this.#removeLabels(
          application,
          action.number === 0 ? [] : this.#revision(application, action.number).content.clusters,
        );
        return undefined;
      case 'DeleteSecrets': {
        const unused = unusedSecrets(this.#seen.secrets, { clusters: [] });
        const secrets = this.#seen.secrets.filter((one) => !unused.includes(one));
        this.#seen = { ...this.#seen, secrets };
        return undefined;
      }
      case 'StartCheck':
        this.#edit(application, ({ measurements }) => ({
          measurements: [...measurements, { name: action.name, phase: 'Successful', message: '' }],
        }));
        return undefined;
      case 'TerminateCheck':
        this.#edit(application, ({ measurements }) => ({
          measurements: measurements.map((one) =>
            one.name === action.name ? { ...one, phase: 'Successful', isEnding: true } : one,
          ),
        }));
        return undefined;
      case 'ApplyChild':
        return this.#applyChild(application, action, now);
      case 'Forward':
        return undefined;
    }
  }

  #of(application: string): ObservedApplication {
    const found = this.#seen.applications.find(({ name }) => name === application);
    if (found === undefined) throw new TypeError(`Expected application ${application}, got none.`);
    return found;
  }

  #revision(application: string, number: number): ObservedRevision {
    const found = this.#of(application).revisions.find((one) => one.number === number);
    if (found === undefined) throw new TypeError(`Expected revision ${number} of ${application}, got none.`);
    return found;
  }

  #edit(application: string, change: (before: ObservedApplication) => Partial<ObservedApplication>): void {
    const applications = this.#seen.applications.map((one) =>
      one.name === application ? { ...one, ...change(one) } : one,
    );
    this.#seen = { ...this.#seen, applications };
  }

  #save(application: string, { number, hash, version }: Change<'SaveRevision'>): void {
    this.#edit(application, ({ resolved, revisions }) => {
      if (!resolved.ok) throw new TypeError(`Expected ${application} to come to something, got problems.`);
      return { revisions: [{ number, hash, version, isGood: false, content: resolved.value }, ...revisions] };
    });
  }

  #applySecrets(application: string, content: Resolved): void {
    const made = secretsFor(application, content, this.#seen.secrets).map(({ cluster, asking }) =>
      writtenSecret(cluster, asking),
    );
    const others = this.#seen.secrets.filter((one) => !made.some(({ name }) => name === one.name));
    this.#seen = { ...this.#seen, secrets: [...others, ...made] };
    this.#deploy();
  }

  #removeLabels(application: string, kept: Resolved['clusters']): void {
    const secrets = this.#seen.secrets.map((one) =>
      kept.some(({ secretName }) => secretName === one.name)
        ? one
        : { ...one, applications: omit(one.applications, application) },
    );
    this.#seen = { ...this.#seen, secrets };
    this.#deploy();
  }

  /** Argo CD deploys an application wherever a secret asks for it, and nowhere else. */
  #deploy(): void {
    for (const { name, deployments: before } of this.#seen.applications) {
      if (before === undefined) continue;
      const deployments = this.#seen.secrets
        .filter(({ applications }) => Object.hasOwn(applications, name))
        .map(({ name: secretName }) => ({
          secretName,
          isPresent: true,
          isHealthy: true,
          message: '',
        }));
      this.#edit(name, () => ({ deployments }));
    }
  }

  /** What the Cell of the application is to be, and the target groups that it selects then. */
  #wanted(application: string, { number, keep }: Change<'ApplyChild'>, before: ObservedCell | undefined) {
    const { cell, key } = this.#seen;
    const revision = this.#revision(application, number);
    const child =
      cell === undefined ? undefined : childOf({ cell: { name: key.name, spec: cell.spec }, revision });
    if (child === undefined) throw new TypeError(`Expected ${application} to have alb, got none.`);
    const groups = child.targetGroups.map(({ name, arn, labels }) => ({
      name,
      arn,
      version: labels[VERSION_LABEL] ?? '',
    }));
    const kept = keep === undefined ? [] : this.#revision(application, keep).content.targetGroups;
    const others = (before?.selected ?? []).filter(
      ({ arn }) => kept.some((one) => one.arn === arn) && !groups.some((one) => one.arn === arn),
    );
    return { child, selected: [...others, ...groups] };
  }

  #applyChild(application: string, action: Change<'ApplyChild'>, now: number): Ahead {
    const { key, freezes } = this.#seen;
    const known = this.#children.get(application);
    const { child, selected } = this.#wanted(application, action, known);
    const { name } = child;
    // The plan assumes that clusters are ready, and earlier applications are in place by then.
    const before = omit(known ?? nothingOf({ ...key, name }), 'waitsFor', 'behind');
    const { status = {}, generation = 0, uid = application } = before.cell ?? {};
    const edited = { uid, generation: generation + 1, spec: child.spec, status, problems: [] };
    const ahead = runAhead({ ...before, cell: edited, selected, freezes }, now);
    this.#children.set(application, ahead.observed);
    this.#edit(application, () => ({
      child: {
        name,
        isOwn: true,
        uid,
        generation: edited.generation,
        isDeleting: false,
        revision: action.number,
        isAsDesired: true,
        status: ahead.observed.cell?.status ?? {},
      },
      targetGroups: selected.map((group) => ({ version: '', ...group, isOwn: true })),
    }));
    return ahead;
  }
}

const nothingOf = (key: ObservedCell['key']): ObservedCell => ({
  key,
  digest: '',
  selected: [],
  freezes: [],
  weighted: [],
  isApplied: true,
  sequence: 0,
});
