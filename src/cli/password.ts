import { createInterface } from 'node:readline';
import { CommandError } from './command.ts';

const ENTER = /[\r\n]/;
const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\b', '\u007f'];

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

function ask(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const take = (text: string): void => {
      for (const character of text) {
        if (ENTER.test(character)) {
          close();
          resolve(typed.join(''));
          return;
        }
        if (character === INTERRUPT || character === END) {
          close();
          reject(new CommandError('no password was given'));
          return;
        }
        typed = ERASE.includes(character) ? typed.slice(0, -1) : [...typed, character];
      }
    };
    const close = (): void => {
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
    };
    stdin.on('data', take);
    stdin.resume();
  });
}
