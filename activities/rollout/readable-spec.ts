import { cell, type WrittenCellSpec } from '../../crds/cell.ts';

/**
 * What counts of an invalid spec, which the API server may have accepted under the definition of another release: each field
 * that is valid by itself, and the defaults of the others. So a field that this release cannot read, such as a step of a new
 * kind, stops no decision and no status. The load balancer is taken as it is written.
 */
export function readableSpec(spec: WrittenCellSpec): WrittenCellSpec {
  const fields = Object.entries(cell.spec.shape).flatMap(([name, schema]) => {
    const written: unknown = Reflect.get(spec, name);
    const read = [written, undefined].map((value) => schema.safeParse(value)).find(({ success }) => success);
    return read?.data === undefined ? [] : [[name, read.data] as const];
  });
  const { ingress } = spec;
  // Each field was parsed by its own schema.
  return { ...(ingress === undefined ? {} : { ingress }), ...Object.fromEntries(fields) } as WrittenCellSpec;
}
