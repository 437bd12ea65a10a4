import { planPrometheus } from '../components/prometheus.ts';
import { startLone } from '../lone-component.ts';
import { provision } from '../provision.mjs';

/** The values of one series by the time at which they were measured, in milliseconds since the epoch. */
export interface Samples {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** A Prometheus that runs until it is disposed. */
export interface Prometheus extends AsyncDisposable {
  readonly url: string;
  /** Has it know these samples. */
  readonly push: (samples: readonly Samples[]) => Promise<void>;
}

/** Starts the real Prometheus, with nothing in it. */
export async function startPrometheus(logs?: string): Promise<Prometheus> {
  const [command = ''] = Object.values(
    await provision(['prometheus'], { env: process.env, say: () => undefined }),
  );
  let url = '';
  const running = await startLone(async (ground) => {
    const planned = await planPrometheus(ground, command);
    url = planned.url;
    return planned.component;
  }, logs);
  return {
    url,
    push: (samples) => push(url, samples),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Sends samples by OTLP, which takes JSON, and takes them at any time within the hour. */
async function push(url: string, samples: readonly Samples[]): Promise<void> {
  const metrics = samples.map(({ name, labels, points }) => ({
    name,
    gauge: {
      dataPoints: points.map(([at, asDouble]) => ({
        asDouble,
        timeUnixNano: `${at}000000`,
        attributes: Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } })),
      })),
    },
  }));
  const response = await fetch(`${url}/api/v1/otlp/v1/metrics`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Expected Prometheus to take samples, got ${response.status} ${text}.`);
}
