import { fork } from 'node:child_process';
import { moduleAt } from '../support/checkout.ts';
import type { Figures, Plan } from './plan.ts';

/** Has the load generator follow a plan in a process of its own, whose memory holds nothing else. Rejects when it fails. */
export function drive(plan: Plan): Promise<Figures> {
  const generator = fork(moduleAt('./generator.ts', import.meta.url), {
    // JSON has no NaN.
    serialization: 'advanced',
  });
  generator.send(plan);
  return new Promise((resolve, reject) => {
    generator.once('message', (figures: Figures) => {
      resolve(figures);
    });
    generator.once('exit', () => {
      reject(new Error('the load generator failed'));
    });
  });
}
