import type { ProxyControl } from '../../../local/elbv2-proxy/control.ts';

/** The control of a proxy that others use as well, which knows the faults that were armed by it. */
export interface OwnFaults extends ProxyControl {
  /** Disarms those of its faults that are armed still, and none of others. */
  clearOwnFaults(): Promise<void>;
}

/** Keeps the faults that are armed by a control apart from those of others. */
export function ownFaults(control: ProxyControl): OwnFaults {
  const own = new Set<string>();
  return {
    ...control,
    addFault: async (fault) => {
      const id = await control.addFault(fault);
      own.add(id);
      return id;
    },
    clearOwnFaults: async () => {
      if (own.size === 0) return;
      const armed = (await control.faults()).filter(({ id }) => own.has(id));
      for (const { id } of armed) await control.removeFault(id);
      own.clear();
    },
  };
}
