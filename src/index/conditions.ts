import { type Bits, type SlotTest, bitsOf, hasBit, intersect, setBit, subtract, unite } from './bits.ts';
import type { Box } from './geo.ts';
import { slotsAround } from './grid.ts';
import type { Lookups } from './lookups.ts';
import { type Condition, type OpenCondition, ROW_STATUSES } from './request.ts';
import type { Rows } from './rows.ts';

/** A condition that many requests share, because few different ones exist. */
type SharedCondition =
  | Extract<Condition, { column: string } | { category: number } | { status: string }>
  | { readonly foodType: number };

/** The rows that meet a condition, possibly with slots that have no row. */
function meeting(condition: SharedCondition, rows: Rows): Bits {
  return rows.tested.of(JSON.stringify(condition), rows.capacity, () => testOf(condition, rows));
}

function testOf(condition: SharedCondition, rows: Rows): SlotTest {
  if ('oneOf' in condition) {
    const values = rows.numbers(condition.column);
    const passes = new Set(condition.oneOf);
    return (slot) => passes.has(values[slot] ?? NaN);
  }
  if ('atLeast' in condition) {
    const values = rows.numbers(condition.column);
    const { atLeast } = condition;
    return (slot) => (values[slot] ?? NaN) >= atLeast;
  }
  if ('bits' in condition) {
    const values = rows.numbers(condition.column);
    const { bits } = condition;
    return (slot) => ((values[slot] ?? 0) & bits) === bits;
  }
  if ('category' in condition) {
    const { category } = rows;
    const wanted = condition.category;
    return (slot) => category[slot] === wanted;
  }
  if ('foodType' in condition) {
    const { foodTypes, foodTypeSets } = rows;
    return (slot) => foodTypeSets.has(foodTypes[slot] ?? 0, condition.foodType);
  }
  const { status } = rows;
  const wanted = ROW_STATUSES.indexOf(condition.status);
  return (slot) => status[slot] === wanted;
}

/** Removes the rows that do not meet a condition. */
export function applyCondition(
  condition: Exclude<Condition, OpenCondition>,
  bits: Bits,
  rows: Rows,
  { categories, foodTypes }: Lookups,
): void {
  if ('foodTypes' in condition) {
    const any = new Uint32Array(bits.length);
    for (const foodType of condition.foodTypes)
      if (foodTypes.has(foodType)) unite(any, meeting({ foodType }, rows));
    intersect(bits, any);
  } else if ('category' in condition && !categories.has(condition.category)) {
    // Rows may refer to a deleted category.
    bits.fill(0);
  } else if ('box' in condition) intersect(bits, within(condition.box, bits, rows));
  else if ('ids' in condition) {
    const among = bitsAmong(condition.ids, rows);
    if (condition.areWanted) intersect(bits, among);
    else subtract(bits, among);
  } else intersect(bits, meeting(condition, rows));
}

/** The rows among `bits` in a box. */
function within(box: Box, bits: Bits, rows: Rows): Bits {
  const { west, south, east, north } = box;
  const [latitude, longitude] = [rows.numbers('latitude'), rows.numbers('longitude')];
  const isWithin = (degrees: number): boolean =>
    west <= east ? degrees >= west && degrees <= east : degrees >= west || degrees <= east;
  // 180 and -180 degrees are the same meridian.
  const isBetween = (degrees: number): boolean =>
    isWithin(degrees) || (Math.abs(degrees) === 180 && isWithin(-degrees));
  const found = new Uint32Array(bits.length);
  const candidates = slotsAround(box, rows);
  const length = candidates?.length ?? rows.capacity;
  for (let at = 0; at < length; at += 1) {
    const slot = candidates ? (candidates[at] ?? 0) : at;
    const degrees = latitude[slot] ?? NaN;
    if (hasBit(bits, slot) && degrees >= south && degrees <= north && isBetween(longitude[slot] ?? NaN))
      setBit(found, slot, true);
  }
  return found;
}

/** The rows with these ids. */
export function bitsAmong(ids: readonly number[], rows: Rows): Bits {
  return bitsOf(
    ids.map((id) => rows.slotOf(id)),
    rows.capacity,
  );
}
