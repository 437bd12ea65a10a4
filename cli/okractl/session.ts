import { given } from '../../domain/model/fields.ts';
import { late } from '../../clients/concurrency.ts';
import { connectAsPerson } from '../../clients/kubernetes/person.ts';
import type { Operator } from '../../clients/temporal/operator.ts';
import { badUsage, failed, type Globals, type Session } from './shell.ts';
import { loadConfig } from '../../config/config.ts';
import { messageOf } from '../../domain/text.ts';
import { throughApi } from './through-api.ts';

/** Connects to Temporal when it is first asked for, and again when that has failed. */
export function connectOnDemand(make: () => Promise<Operator>) {
  let connecting: Promise<Operator> | undefined;
  return {
    get: late(() => (connecting = make())),
    close: async (): Promise<void> => {
      await (await connecting?.catch(() => undefined))?.close();
    },
  };
}

const NO_TEMPORAL = 'cannot read from Temporal: TEMPORAL_ADDRESS is not set. Set it, or --temporal-address.';

export function sessions() {
  const operators: ReturnType<typeof connectOnDemand>[] = [];
  return {
    open: (globals: Globals): Session => {
      const { temporalAddress, temporalNamespace, okraNamespace, kubeconfig, context, namespace } = globals;
      const { as, asGroup: asGroups = [] } = globals;
      if (as === undefined && asGroups.length > 0) throw badUsage('--as-group needs --as.');
      const environment: NodeJS.ProcessEnv = {
        ...process.env,
        ...given({
          TEMPORAL_ADDRESS: temporalAddress,
          TEMPORAL_NAMESPACE: temporalNamespace,
          OKRA_NAMESPACE: okraNamespace,
        }),
      };
      const config = loadConfig(environment);
      const isByTemporal = (environment['TEMPORAL_ADDRESS'] ?? '') !== '';
      let person;
      try {
        person = connectAsPerson({
          kubeconfig: kubeconfig ?? config.kubernetes.kubeconfig,
          context,
          namespace,
          as,
          asGroups,
        });
      } catch (error) {
        // What a kubeconfig lacks is a problem of the environment, or of the command line.
        throw badUsage(messageOf(error));
      }
      const { temporal, taskQueue, identity, temporalUi, docsUrl, lease } = config;
      const operator = connectOnDemand(async () => {
        if (!isByTemporal) throw failed(NO_TEMPORAL);
        // What Temporal's client is made of takes a while to load, and many commands do not need it.
        const { connectOperator } = await import('../../clients/temporal/operator.ts');
        return connectOperator(temporal, `okractl ${identity}`);
      });
      operators.push(operator);
      return {
        ...person,
        temporal,
        taskQueue,
        leaseNamespace: lease.namespace,
        temporalUi,
        docsUrl,
        operator: operator.get,
        ...(isByTemporal ? {} : { throughApi: throughApi(person, config.okraNamespace) }),
      };
    },
    close: async (): Promise<void> => {
      await Promise.allSettled(operators.map(({ close }) => close()));
    },
  };
}
