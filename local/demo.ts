import { readDemoArguments, type Wish } from './demo/arguments.mjs';
import { showApplications } from './demo/applications/show.ts';
import { openGround } from './demo/ground.ts';
import { showRollout } from './demo/rollout.ts';
import { showStages } from './demo/staged.ts';
import { runProgram, stopOnSignals } from './program.ts';

const signal = stopOnSignals();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function show(wish: Wish): Promise<number> {
  await using ground = await openGround(wish, { say, signal });
  if (wish.applications) return await showApplications(ground);
  return await (wish.staged ? showStages(ground) : showRollout(ground, wish));
}

async function main(): Promise<number> {
  const request = readDemoArguments(process.argv.slice(2));
  switch (request.do) {
    case 'Explain':
      process.stderr.write(`${request.message}\n`);
      return request.status;
    case 'Show':
      return show(request.wish);
  }
}

await runProgram(main, signal);
