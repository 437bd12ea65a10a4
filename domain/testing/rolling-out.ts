import type { CellSpec } from '../../crds/cell.ts';
import type { RequestName } from '../model/request.ts';
import { weightsOf } from './builders.ts';
import { Simulation } from './simulation.ts';

/** A Cell that serves 1.0.0 by the group a, to which 2.0.0 comes by the group b; nothing was done about that yet. */
export function rollingOut(spec: Partial<CellSpec> = {}): Simulation {
  const simulation = new Simulation(spec);
  simulation.provision('1.0.0', 'a');
  simulation.run();
  simulation.provision('2.0.0', 'b');
  simulation.wake();
  return simulation;
}

const MINUTE = 60_000;

/** A minute after something has happened that the Cell is told of. */
export function aMinuteLater<Of extends Simulation>(simulation: Of): Of {
  simulation.wake();
  simulation.pass(MINUTE);
  return simulation;
}

/** A minute after AWSTargetGroups were deleted. */
export function without<Of extends Simulation>(simulation: Of, ...gone: readonly string[]): Of {
  simulation.groups = simulation.groups.filter(({ name }) => !gone.includes(name));
  return aMinuteLater(simulation);
}

/** How the Cell stands by its status, and the weight of 2.0.0. */
export const stands = ({ status, served }: Simulation): string =>
  `${status.phase} ${status.reason} ${weightsOf(served)['b'] ?? 0}`;

/** Asks for something, and says how the Cell stands then. */
export function asked(simulation: Simulation, name: RequestName): string {
  simulation.ask(name);
  simulation.run();
  return stands(simulation);
}

/** Edits whether the rule keeps clients with a target group. */
export function keepClients(simulation: Simulation, keeps = true): void {
  simulation.edit((spec) => {
    const block = spec.ingress.awsApplicationLoadBalancer;
    if (block?.listener === undefined) return spec;
    const { forward: _before, ...plain } = block.listener.rule;
    const forward = keeps ? { forward: { targetGroupStickiness: { durationSeconds: 60 } } } : {};
    const listener = { rule: { ...plain, ...forward } };
    return { ...spec, ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener } } };
  });
}
