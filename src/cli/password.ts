import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { CommandError } from './command.ts';

/**
 * A new password: asked for twice at a terminal, which does not show it, else the first line of standard input.
 * Rejects with a CommandError when there is none or the two differ.
 */
export async function readPassword(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine();
  const password = await ask(prompt);
  if ((await ask('The same again: ')) !== password) throw new CommandError('the two passwords differ');
  return password;
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new CommandError('no password on standard input');
}

async function ask(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new PassThrough().resume();
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      const refuse = (): void => {
        reject(new CommandError('no password was given'));
      };
      lines.once('line', resolve).once('SIGINT', refuse).once('close', refuse);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
