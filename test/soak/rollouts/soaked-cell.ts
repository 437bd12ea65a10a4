import { AWS_TARGET_GROUP } from '../../../clients/kubernetes/kinds.ts';
import type { CanaryStep, Cell } from '../../../crds/cell.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from '../common/dice.ts';

const analysis = {
  args: [{ name: 'service-name', value: 'exampleapp' }],
  templates: [{ templateName: 'success-rate' }],
};

/** The steps that Cells are edited to. */
const stepLists: readonly (readonly CanaryStep[])[] = [
  [{ setWeight: 20 }, { pause: { duration: '1s' } }, { setWeight: 50 }],
  [{ setWeight: 20 }, { analysis }, { pause: {} }, { setWeight: 60 }, { analysis }],
  [{ setWeight: 10 }, { pause: {} }, { setWeight: 30 }, { pause: { duration: '2s' } }],
  [{ analysis }, { setWeight: 40 }, { analysis }],
];

type Patch = (
  spec: Cell['spec'],
  around: { readonly versions: readonly string[]; readonly dice: Dice },
) => object;

/** A window that is shut now. */
function shutWindow(): object {
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0');
  return { timeZone: 'UTC', start: `${hour}:00`, end: `${hour}:59` };
}

const inStrategy =
  (more: object): Patch =>
  ({ updateStrategy }) => ({ updateStrategy: { ...updateStrategy, ...more } });

const inCanary =
  (more: object): Patch =>
  ({ updateStrategy }) => ({
    updateStrategy: { ...updateStrategy, canary: { ...updateStrategy?.canary, ...more } },
  });

/** What Cells are edited to besides their steps. */
const patches: readonly Patch[] = [
  () => ({}),
  inCanary({ onFailure: 'Hold' }),
  inCanary({ analysis: { ...analysis, startingStep: 1 } }),
  () => ({ healthTimeout: '3s' }),
  () => ({ replicas: 2 }),
  () => ({ progressDeadline: '4s' }),
  () => ({ settle: '1s' }),
  () => ({ windows: [shutWindow()] }),
  (_, { versions, dice }) => ({ version: dice.pick(versions) }),
  inStrategy({ detachAfter: '0s' }),
  inStrategy({ bake: { duration: '2s' } }),
  inStrategy({ bake: { duration: '5s', analysis } }),
  () => ({
    updateStrategy: {
      type: 'BlueGreen',
      blueGreen: { steps: [{ pause: { duration: '1s' } }, { promote: {} }, { analysis }] },
    },
  }),
];

/** A Cell to which anything may happen. */
export class SoakedCell {
  /** The versions that its AWSTargetGroups claim, by their names. */
  readonly groups = new Map<string, string>();
  /** How often something happened after which an abort may come to something else. */
  disturbances = 0;
  readonly name: string;
  readonly role: string;
  readonly priority: number;
  readonly #stage: Stage;
  readonly #dice: Dice;
  readonly #listenerARN: string | undefined;
  #steps: readonly CanaryStep[];
  #patch: Patch = () => ({});
  #made = 0;
  #released = 0;

  private constructor(
    stage: Stage,
    dice: Dice,
    { name, priority, listenerARN }: { name: string; priority: number; listenerARN: string | undefined },
  ) {
    this.#stage = stage;
    this.#dice = dice;
    this.name = name;
    this.role = name;
    this.priority = priority;
    this.#listenerARN = listenerARN;
    this.#steps = dice.pick(stepLists);
  }

  /** Makes one that serves 1.0.0, behind an Application or a Network Load Balancer. */
  static async serving(
    stage: Stage,
    dice: Dice,
    at: { readonly name: string; readonly priority: number; readonly isNetwork: boolean },
  ): Promise<SoakedCell> {
    const { name, priority, isNetwork } = at;
    const listenerARN = isNetwork ? await stage.networkListener(`${name}-1`) : undefined;
    const cell = new SoakedCell(stage, dice, { name, priority, listenerARN });
    await cell.release();
    await cell.apply();
    await stage.untilPhase(name, 'Completed', '1.0.0');
    return cell;
  }

  /** A part of the calls of ELBv2 that are about the load balancer of this Cell. */
  get loadBalancer(): string {
    return `/${(this.#listenerARN ?? this.#stage.listenerARN).split('/')[2] ?? ''}/`;
  }

  async apply(): Promise<void> {
    const options = { steps: this.#steps };
    const cell = (
      this.#listenerARN === undefined
        ? this.#stage.cell(this.name, { ...options, priority: this.priority, role: this.role })
        : this.#stage.networkCell(this.name, this.#listenerARN, options)
    ) as Cell;
    const around = { versions: [...this.groups.values()], dice: this.#dice };
    await this.#stage.apply({ ...cell, spec: { ...cell.spec, ...this.#patch(cell.spec, around) } });
  }

  async editSteps(): Promise<void> {
    this.#steps = this.#dice.pick(stepLists);
    await this.apply();
  }

  async edit(): Promise<void> {
    this.#patch = this.#dice.pick(patches);
    await this.apply();
  }

  /** Takes back all that it was edited to besides its steps. */
  async editBack(): Promise<void> {
    this.#patch = () => ({});
    await this.apply();
  }

  /** A newer version comes, by one target group or two. */
  async release(): Promise<string> {
    this.#released += 1;
    const version = `${this.#released}.0.0`;
    await this.add(version);
    if (version !== '1.0.0' && this.#dice.number() < 0.4) await this.add(version);
    return version;
  }

  /** An AWSTargetGroup comes, or claims another version. */
  async add(version: string, name = `${this.name}-${(this.#made += 1)}`): Promise<void> {
    this.groups.set(name, version);
    const protocol = this.#listenerARN === undefined ? 'HTTP' : 'TCP';
    await this.#stage.targetGroups(version, [name], { role: this.role }, protocol);
  }

  /** An AWSTargetGroup goes, and nobody waits for that. */
  async remove(name: string): Promise<void> {
    this.groups.delete(name);
    await this.#stage.delete(AWS_TARGET_GROUP, name, { wait: false });
  }
}
