import { gate, gateOfELBv2 } from './activities.ts';

/** Looks whether a version of the worker can work before it is made current: Temporal's Worker Controller runs it as the gate of a version, and leaves out one where it fails. */
export async function versionGate(): Promise<string> {
  const said = await Promise.all([
    gate('Reach the API server').reachKubernetes(),
    gateOfELBv2('Reach ELBv2').reachELBv2(),
  ]);
  return said.join(' ');
}
