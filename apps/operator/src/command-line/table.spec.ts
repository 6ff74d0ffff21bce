import { pageOf, table } from './table.js';

it('aligns columns below their names', () => {
  const rows = [
    { id: 7, hidden: true, title: 'Cat' },
    { id: 12, hidden: false, title: null },
  ];
  expect(table(rows, 'None.')).toBe('id  hidden  title\n7   yes     Cat\n12  no      -');
  expect(table([], 'None.')).toBe('None.');
});

it('replaces control characters, which a terminal interprets', () => {
  expect(table([{ title: 'a\x1b[2J\nb' }], 'None.')).toBe('title\na [2J b');
});

it('names the flag for the next page', () => {
  expect([pageOf('rows', null), pageOf('rows', 50)]).toEqual(['rows', 'rows\nMore: --offset 50']);
});
