import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Span } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Tells of what takes time in a process. Nothing in here throws or waits for anybody: rollouts continue without. */
export interface Traces {
  /** Does something that belongs to a trace, which is named by 32 hexadecimal digits. */
  readonly within: <T>(trace: string, of: Traced, run: () => Promise<T>) => Promise<T>;
  /** Does something that belongs to what is being done already; where nothing is, it is not told of. */
  readonly part: <T>(of: Traced, run: () => Promise<T>) => Promise<T>;
  readonly end: () => Promise<void>;
}

interface Traced {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Traces that are sent nowhere. */
export const noTraces: Traces = {
  within: (_trace, _of, run) => run(),
  part: (_of, run) => run(),
  end: () => Promise.resolve(),
};

interface TracesOptions {
  /** Where OTLP is taken over HTTP: `http://collector:4318`; what else there is to say, the SDK reads of `OTEL_…`. */
  readonly endpoint: string;
  readonly version: string;
  readonly exporter?: SpanExporter;
  readonly endMilliseconds?: number;
}

const END_MILLISECONDS = 3_000;

// Everything of a run is below one span that nobody sends; its id says no more than the trace.
const ROOT_SPAN = '0000000000000001';
const SAMPLED = 1;

/** Begins to send traces; its modules are loaded where it is asked for alone. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { endpoint, version, exporter, endMilliseconds = END_MILLISECONDS } = options;
  const [api, sdk, resources, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const processor = new sdk.BatchSpanProcessor({ exporter: exporter ?? new otlp.OTLPTraceExporter({ url }) });
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'okrad', 'service.version': version })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.TracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer('okra', version);
  const current = new AsyncLocalStorage<Span>();

  async function during<T>(span: Span, run: () => Promise<T>): Promise<T> {
    try {
      return await current.run(span, run);
    } catch (error) {
      // What it says may be long, and stands in the history.
      const message = error instanceof Error ? error.name : 'Error';
      span.setStatus({ code: api.SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    within: (traceId, { name, attributes }, run) => {
      const parent = { traceId, spanId: ROOT_SPAN, traceFlags: SAMPLED, isRemote: true };
      const context = api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
      return during(tracer.startSpan(name, { attributes, kind: api.SpanKind.CONSUMER }, context), run);
    },
    part: (of, run) => {
      const parent = current.getStore();
      if (parent === undefined) return run();
      const { name, attributes } = of;
      const context = api.trace.setSpan(api.ROOT_CONTEXT, parent);
      return during(tracer.startSpan(name, { attributes, kind: api.SpanKind.CLIENT }, context), run);
    },
    end: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, endMilliseconds).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}
