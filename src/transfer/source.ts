import type { Properties } from '../kit/objects.ts';
import type { Fault } from './faults.ts';
import type { Notes } from './notes.ts';
import { FILE_NAMES, type FileFields } from '../catalogue/restaurants/fields.ts';
import type { RestaurantRecord } from '../catalogue/restaurants/store.ts';

/** The largest record, line or feature of an import file, in bytes or characters. */
export const MAX_RECORD = 1024 * 1024;

/** The fields of a restaurant in a file that the API reads as they are. */
export const API_FIELDS: readonly string[] = [...FILE_NAMES, 'status'];
/** The moments of a restaurant in a file. */
export const TIMES = ['created_at', 'updated_at'] as const;

/** A part of a file, or why it could not be read. */
export type Found<Value> = Fault | { readonly line: number; readonly value: Value };

/** A record as its source writes it. */
export interface Raw {
  readonly line: number;
  readonly kind: 'restaurant' | 'category' | 'food_type';
  /** What the source calls a thing, and its value: text, a number, a boolean, or a list. A name may come twice. */
  readonly values: readonly (readonly [name: string, value: unknown])[];
  /** True for a record of an export of ours, whose values are taken as they stand. */
  readonly isOwn?: boolean;
  /** Whether it is a place that a person saved elsewhere: what is noted of it is private. */
  readonly isSaved?: boolean;
  /** The list that the source has it on; undefined for the list of the file. */
  readonly list?: string | undefined;
  /** A review by the importing person. */
  readonly review?: Properties | undefined;
}

/** One entry of an import file, or why it could not be read. */
export type SourceEntry =
  | Fault
  | {
      readonly line: number;
      readonly kind: Raw['kind'];
      /** Under the API's names; `category` and `food_types` are names, `ratings` objects. */
      readonly fields: Properties;
      /** Whether it is a place that a person saved elsewhere. */
      readonly isSaved?: boolean;
      /** What that person noted, for the item of a list. */
      readonly note?: string | undefined;
      readonly list?: string | undefined;
      /** True for a place with a review by the importing person, which goes on no list. */
      readonly isReview?: boolean;
    };

/** A file as it arrives. */
export type Chunks = AsyncIterable<Uint8Array>;

/** A file that is read. */
export interface SourceFile {
  /** Null for an upload without a name. */
  readonly name: string | null;
  /** The name that the file itself states; known once its first record is read. */
  ownName?: string;
}

/** Reads a file of one kind in UTF-8, record by record. */
export type SourceReader = (chunks: Chunks, notes: Notes, file: SourceFile) => AsyncGenerator<Fault | Raw>;

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

const DECODERS = [true, false].map((ignoreBOM) => new TextDecoder('utf-8', { fatal: true, ignoreBOM }));

/** Decodes UTF-8, whose bytes are the characters of `bytes`; undefined if it is invalid. May drop the byte order mark. */
export function decodeText(bytes: string, dropsMark: boolean): string | undefined {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  try {
    return DECODERS[Number(dropsMark)]?.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
