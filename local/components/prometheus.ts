import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { LonePlan } from '../lone-component.ts';
import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';

/** What Prometheus is to do besides answering: nothing is scraped, and what it is sent keeps its name, however late it comes. */
const settings = {
  otlp: { translation_strategy: 'NoTranslation' },
  storage: { tsdb: { out_of_order_time_window: '1h' } },
};

/** Plans a Prometheus that knows what it is sent by OTLP, at an address of its own. */
export async function planPrometheus(
  { dir, port }: LonePlan,
  command: string,
): Promise<{ readonly component: Component; readonly url: string }> {
  const address = `127.0.0.1:${await port()}`;
  const url = `http://${address}`;
  const config = join(dir, 'prometheus.yaml');
  const component = {
    name: 'prometheus',
    after: [],
    command,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
      '--web.enable-otlp-receiver',
      '--log.level=warn',
    ],
    prepare: () => writeFile(config, stringify(settings)),
    ready: (signal: AbortSignal) =>
      waitFor({ what: `${url} to be ready`, signal }, () => answersOk(`${url}/-/ready`)),
  };
  return { component, url };
}
