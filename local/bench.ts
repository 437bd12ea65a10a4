import { readBenchArguments } from './bench/arguments.mjs';
import { runProgram, stopOnSignals } from './program.ts';

const signal = stopOnSignals();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const request = readBenchArguments(process.argv.slice(2));
  switch (request.do) {
    case 'Explain':
      process.stderr.write(`${request.message}\n`);
      return request.status;
    case 'Measure': {
      // A request that it refuses does not load what measures.
      const { measure } = await import('./bench/measure.ts');
      await measure(request, { say, signal });
      return 0;
    }
  }
}

await runProgram(main, signal);
