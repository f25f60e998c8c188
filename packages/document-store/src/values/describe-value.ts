import { Binary, BSONRegExp, Double, Int32, Long, ObjectId } from 'bson';
import { fieldNames, getField, isFields } from './fields.ts';

export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Int32 || value instanceof Long) return value.toString();
  if (value instanceof Binary) return describeBinary(value);
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(describeValue).join(', ')} ]`;
  if (isFields(value)) {
    const fields = fieldNames(value).map((name) => `${name}: ${describeValue(getField(value, name))}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return String(value);
}

function describeBinary(value: Binary): string {
  if (value.sub_type === Binary.SUBTYPE_UUID && value.position === 16) return `UUID("${value.toUUID().toHexString()}")`;
  return `BinData(${value.sub_type}, ${Buffer.from(value.buffer.subarray(0, value.position)).toString('hex').toUpperCase()})`;
}
