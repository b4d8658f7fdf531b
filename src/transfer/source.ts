import type { Properties } from '../kit/objects.ts';
import { FILE_NAMES, type FileFields } from '../catalogue/restaurants/fields.ts';
import type { RestaurantRecord } from '../catalogue/restaurants/store.ts';

/** The largest record, line or feature of an import file, in bytes or characters. */
export const MAX_RECORD = 1024 * 1024;

/** The fields of a restaurant in a file that the API reads as they are. */
export const API_FIELDS: readonly string[] = [...FILE_NAMES, 'status'];
/** The moments of a restaurant in a file. */
export const TIMES = ['created_at', 'updated_at'] as const;

/** Why a part of a file could not be read. `line` counts from 1 and is where the part begins. */
export interface Fault {
  readonly line: number;
  readonly fault: string;
}

/** A part of a file, or why it could not be read. */
export type Found<Value> = Fault | { readonly line: number; readonly value: Value };

/** One entry of an import file, or why it could not be read. */
export type SourceEntry =
  | Fault
  | {
      readonly line: number;
      readonly kind: 'restaurant' | 'category' | 'food_type';
      /** Under the API's names; `category` and `food_types` are names, `ratings` objects. */
      readonly fields: Properties;
      /** Whether it is a place that a person saved elsewhere: its description is that person's note. */
      readonly isSaved?: boolean;
    };

/** A file as it arrives. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Called while a file is read. */
export interface Notes {
  /** Called with the columns that the service does not know. */
  readonly ignored: (columns: readonly string[]) => void;
  /** At the end, with a description of anything else that was left out, and the number of rows that had it. */
  readonly leftOut: (words: string, rows: number) => void;
  /** Called with the title of a file that has one, before its first entry. */
  readonly named?: (title: string) => void;
}

/** Reads a file of one format in UTF-8, entry by entry. */
export type SourceReader = (chunks: Chunks, notes: Notes) => AsyncGenerator<SourceEntry>;

/** A restaurant as it leaves the service; an import ignores the id. */
export type ExportRecord = FileFields &
  Pick<RestaurantRecord, 'id' | 'status' | 'created_at' | 'updated_at'> & {
    /** Only in the file of a list. */
    readonly note?: string;
    readonly category: string | null;
    readonly food_types: readonly string[];
    /** The last member of a text; an export writes the elements themselves. */
    readonly ratings: readonly never[];
  };

/** The text of a string that is not blank; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Whether a field is absent or null. */
export function isMissing(fields: Properties, name: string): boolean {
  return (fields.get(name) ?? null) === null;
}

/** The elements of a JSON array; none for anything else. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * A file as it arrives, as text with one character for each byte, which can be cut anywhere. Bytes of UTF-8 beyond ASCII
 * never look like the characters of CSV or JSON.
 */
export async function* byteTexts(chunks: Chunks): AsyncGenerator<string> {
  for await (const chunk of chunks) yield Buffer.from(chunk).toString('latin1');
}

/** A record with its next part. It grows no further once its length shows that it is too long. */
export function extended(record: string, part: string): string {
  return record.length > MAX_RECORD ? record : record + part;
}

/** Decodes UTF-8, whose bytes are the characters of `bytes`; undefined if it is invalid. May drop the byte order mark. */
export function decodeText(bytes: string, dropsMark: boolean): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !dropsMark });
    return decoder.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
