import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { answerTo, readWhole } from './bytes.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import { record } from './client.ts';
import { until } from './until.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream of the change log that is being read. */
export interface Follower {
  readonly answer: IncomingMessage;
  /** The text received so far. */
  readonly events: readonly StreamEvent[];
  /** How many comments have come. */
  readonly beats: () => number;
  /** Whether the server has ended it, whole or not. */
  readonly isOver: () => boolean;
  /** Ends the connection. */
  readonly leave: () => void;
}

/** How to ask for a stream. */
export interface Asked {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for the stream and returns the request; what comes back is not read. */
export function askForStream(
  t: Cleanup,
  url: string,
  { query = '', headers = {} }: Asked = {},
): ClientRequest {
  const asking = request(`${url}/api/changes/stream?${query}`, { headers, agent: false });
  asking.on('error', () => undefined);
  asking.end();
  atEnd(t, () => {
    asking.destroy();
  });
  return asking;
}

/** Opens a stream and waits for its first event. Throws when it is refused. */
export async function follow(t: Cleanup, url: string, asked: Asked = {}): Promise<Follower> {
  const asking = askForStream(t, url, asked);
  const answer = await answerTo(asking);
  if (answer.statusCode !== 200) throw new Error(`no stream: ${answer.statusCode ?? 0}`);
  const events: StreamEvent[] = [];
  let [rest, beats, isOver] = ['', 0, false];
  answer.setEncoding('utf8');
  answer.on('error', () => undefined);
  answer.on('close', () => (isOver = true));
  answer.on('data', (text: string) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts)
      if (part.startsWith(':')) beats += 1;
      else events.push(readEvent(part));
  });
  await until(() => events.length > 0 || isOver);
  return {
    answer,
    events,
    beats: () => beats,
    isOver: () => isOver,
    leave: () => {
      asking.destroy();
    },
  };
}

/** The status of an answer, its body as JSON, and how long to wait. */
export async function refusalOf(
  asking: ClientRequest,
): Promise<readonly [number, unknown, string | undefined]> {
  const answer = await answerTo(asking);
  // A stream would not end.
  if (answer.statusCode === 200) throw new Error('the stream was not refused');
  const { status, headers, body } = await readWhole(answer);
  const refusal: unknown = JSON.parse(body.toString());
  return [status, refusal, headers['retry-after']];
}

function readEvent(text: string): StreamEvent {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const data: unknown = JSON.parse(fields.get('data') ?? 'null');
  return { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: record(data) };
}
