import { cell, type WrittenCellSpec } from '../../crds/cell.ts';

/**
 * What is gone by of a spec that is not valid, as where the API server has let it pass by the definition of another release:
 * the fields that are valid each by itself, and otherwise their defaults. A field that nobody can read, such as a step
 * of a kind that does not exist yet, stops no decision and no status. The load balancer stays as it is written.
 */
export function readableSpec(spec: WrittenCellSpec): WrittenCellSpec {
  const fields = Object.entries(cell.spec.shape).flatMap(([name, schema]) => {
    const written: unknown = Reflect.get(spec, name);
    const read = [written, undefined].map((value) => schema.safeParse(value)).find(({ success }) => success);
    return read?.data === undefined ? [] : [[name, read.data] as const];
  });
  const { ingress } = spec;
  // Each field has come out of its own schema.
  return { ...(ingress === undefined ? {} : { ingress }), ...Object.fromEntries(fields) } as WrittenCellSpec;
}
