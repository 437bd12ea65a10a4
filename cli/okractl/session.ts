import { given } from '../../domain/model/fields.ts';
import { connectAsPerson, type Person, type PersonOptions } from '../../clients/kubernetes/person.ts';
import type { Operator } from '../../clients/temporal/operator.ts';
import { badUsage, type Globals, type Session } from './shell.ts';
import { loadConfig } from '../../config/config.ts';

/** Opens sessions, and remembers what has to be closed after them. */
export interface Sessions {
  readonly open: (globals: Globals) => Session;
  readonly close: () => Promise<void>;
}

/** What a kubeconfig lacks is a problem of the environment, or of the command line. */
function connect(options: PersonOptions): Person {
  try {
    return connectAsPerson(options);
  } catch (error) {
    throw badUsage(error instanceof Error ? error.message : String(error));
  }
}

/** Makes sessions of the environment and of the options of a command. */
export function sessions(): Sessions {
  const operators: Promise<Operator>[] = [];
  return {
    open: (globals) => {
      const { temporalAddress, temporalNamespace, kubeconfig, context, namespace } = globals;
      const config = loadConfig({
        ...process.env,
        ...given({ TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: temporalNamespace }),
      });
      const person = connect({ kubeconfig: kubeconfig ?? config.kubernetes.kubeconfig, context });
      const { temporal, taskQueue, identity, temporalUi, lease } = config;
      let connecting: Promise<Operator> | undefined;
      const connectTemporal = async (): Promise<Operator> => {
        // What Temporal's client is made of takes a while to load, and many commands do not need it.
        const { connectOperator } = await import('../../clients/temporal/operator.ts');
        return connectOperator(temporal, `okractl ${identity}`);
      };
      return {
        ...person,
        namespace: namespace ?? person.namespace,
        temporal,
        taskQueue,
        leaseNamespace: lease.namespace,
        temporalUi,
        operator: () => {
          if (connecting === undefined) {
            connecting = connectTemporal();
            operators.push(connecting);
            // Who stays, as the dashboard does, asks again.
            connecting.catch(() => {
              connecting = undefined;
            });
          }
          return connecting;
        },
      };
    },
    close: async () => {
      await Promise.allSettled(operators.map(async (operator) => (await operator).close()));
    },
  };
}
