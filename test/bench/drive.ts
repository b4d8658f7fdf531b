import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { LOADER, moduleAt } from '../support/checkout.ts';
import { onCore } from './machine.ts';
import { type Figures, type Plan, readFigures } from './plan.ts';

/** Has the load generator follow a plan in a process of its own. Throws when it fails. */
export async function drive(plan: Plan, core: number | undefined): Promise<Figures> {
  const file = fileURLToPath(moduleAt('./generator.ts', import.meta.url));
  const [program = '', ...args] = onCore(core, [process.execPath, ...LOADER, file]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const code = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  child.stdin.end(JSON.stringify(plan));
  const written = await text(child.stdout);
  if ((await code) !== 0) throw new Error('the load generator failed');
  return readFigures(written);
}
