//! Many like objects as columns (crates/report/src/html/columns.rs): read field by field, when somebody looks.

export type Column =
  unknown[] | { same: unknown } | { few: unknown[]; at: number[] } | { fields: Record<string, Column> };

export interface Table {
  rows: number;
  fields: Record<string, Column>;
}

/** For each field of T how it is read, by the row's number. */
export type Readers<T> = { [Name in keyof T]: (row: number) => T[Name] };

/** Rows that are alike share what they have: nobody changes it. */
function reader(column: Column): (row: number) => unknown {
  if (Array.isArray(column)) return (row) => column[row];
  if ("same" in column) return () => column.same;
  if ("few" in column) return (row) => column.few[column.at[row]!];
  return (row) => whole(column.fields, row);
}

function whole(fields: Record<string, Column>, row: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, reader(column)(row)]));
}

export function readers<T>({ fields }: Table): Readers<T> {
  return Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, reader(column)])) as Readers<T>;
}

/** All of it, as it was. */
export const rows = ({ rows, fields }: Table): unknown[] =>
  Array.from({ length: rows }, (_, row) => whole(fields, row));

/** An object for each row, whose fields are read each time that they are looked at. */
export function views<T>(read: Readers<T>, rows: number): T[] {
  class View {
    constructor(readonly row: number) {}
  }
  for (const [name, of] of Object.entries<(row: number) => unknown>(read)) {
    const get = function (this: View) {
      return of(this.row);
    };
    Object.defineProperty(View.prototype, name, { get });
  }
  return Array.from({ length: rows }, (_, row) => new View(row) as T);
}
