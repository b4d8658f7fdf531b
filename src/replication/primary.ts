import { StorageError } from '../storage/database.ts';
import type { FollowedPlace } from '../storage/copy.ts';

/** The primary of a replica. */
export interface PrimaryAddress {
  readonly primaryUrl: string;
  readonly token: string;
}

/** The primary cannot send what was changed since a place: a new snapshot is needed. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/** What a replica asks its primary for. All of it rejects when the primary cannot be reached or refuses. */
export interface Primary {
  /** Pieces of the database, of this version. */
  readonly snapshot: (schema: number) => Promise<AsyncIterable<Uint8Array>>;
  /** Lines of changed rows, without end. Rejects with an OutdatedError when there are none from that place. */
  readonly rows: (place: FollowedPlace, schema: number) => Promise<AsyncIterable<string>>;
  /** The file of a photo; undefined when the primary does not have it either. */
  readonly photo: (filename: string) => Promise<Uint8Array | undefined>;
}

// The primary sends a word each second.
const LONGEST_SILENCE_MS = 10_000;
// It copies its database first.
const LONGEST_COPY_MS = 600_000;

type Ask = (
  path: string,
  patienceMs: number,
) => Promise<{ readonly response: Response; readonly body: AsyncIterable<Uint8Array> }>;

/** Opens nothing yet. Everything ends when `signal` fires. */
export function createPrimary(address: PrimaryAddress, signal: AbortSignal): Primary {
  const ask = createAsk(address, signal);
  return {
    snapshot: async (schema) => {
      const { response, body } = await ask(`replication/snapshot?schema=${schema}`, LONGEST_COPY_MS);
      if (response.status !== 200) throw await refusal(response.status, body);
      return body;
    },
    rows: async ({ epoch, seq }, schema) => {
      const query = new URLSearchParams({ epoch, seq: String(seq), schema: String(schema) });
      const { response, body } = await ask(`replication/rows?${String(query)}`, LONGEST_SILENCE_MS);
      if (response.status === 410) throw new OutdatedError((await refusal(410, body)).message);
      if (response.status !== 200) throw await refusal(response.status, body);
      return linesOf(body);
    },
    photo: async (filename) => {
      const { response, body } = await ask(`replication/photos/${filename}`, LONGEST_SILENCE_MS);
      const content = await together(body);
      if (response.status === 200) return content;
      if (response.status === 404) return undefined;
      throw new StorageError(`the primary answers ${response.status}`);
    },
  };
}

/** Makes the function that asks, and gives up when nothing comes for so many milliseconds. */
function createAsk({ primaryUrl, token }: PrimaryAddress, signal: AbortSignal): Ask {
  return async (path, patienceMs) => {
    const silence = new AbortController();
    const timer = setTimeout(() => {
      silence.abort(new StorageError(`${new URL(primaryUrl).host} has gone silent`));
    }, patienceMs);
    const response = await fetch(new URL(path, withSlash(primaryUrl)), {
      headers: { Authorization: `Bearer ${token}` },
      // The token is for this host alone.
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    }).catch((error: unknown) => {
      clearTimeout(timer);
      throw unreachable(error, primaryUrl);
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of response.body ?? []) {
          timer.refresh();
          yield chunk;
        }
      } finally {
        clearTimeout(timer);
      }
    }
    return { response, body: body() };
  };
}

/** A service under a path is asked beneath it. */
function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function unreachable(error: unknown, primaryUrl: string): StorageError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StorageError(`${new URL(primaryUrl).host} cannot be reached: ${reason}`, { cause: error });
}

async function refusal(status: number, body: AsyncIterable<Uint8Array>): Promise<StorageError> {
  const text = (await together(body)).toString().slice(0, 300);
  const hint = status === 404 ? '; does it have FOLLOW_TOKEN?' : '';
  return new StorageError(`the primary answers ${status}: ${text}${hint}`);
}

async function together(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
