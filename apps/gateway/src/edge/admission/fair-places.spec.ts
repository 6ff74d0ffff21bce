import { FairPlaces } from './fair-places.js';

/** How many places a caller gets who asks until he is refused. */
function fill(places: FairPlaces, caller: string): number {
  let count = 0;
  while (places.enter(caller)) count += 1;
  return count;
}

describe('fair places', () => {
  it('give somebody alone a part of them, and the next one a part of the rest', () => {
    const places = new FairPlaces(100);
    expect(fill(places, 'a')).toBe(67);
    expect(fill(places, 'b')).toBe(25);
    expect(fill(places, 'c')).toBe(8);
    expect(places.enter('a')).toBe(false);
  });

  it('always have one for who holds none, until there is none', () => {
    const places = new FairPlaces(100);
    fill(places, 'greedy');
    let others = 0;
    while (places.enter(`caller ${others}`)) others += 1;
    expect(others).toBe(33);
    expect(places.enter('greedy')).toBe(false);
  });

  it('can be had again by others, and by the same, when they were left', () => {
    const places = new FairPlaces(2);
    expect(['a', 'b', 'c'].map((caller) => places.enter(caller))).toEqual([true, true, false]);
    places.leave('a');
    expect(['c', 'a'].map((caller) => places.enter(caller))).toEqual([true, false]);
    places.leave('b');
    places.leave('c');
    expect(fill(places, 'a')).toBe(2);
  });

  it('that become fewer keep out as many callers, not those who meet one who has many', () => {
    const places = new FairPlaces(100);
    fill(places, 'greedy');
    places.resize(3);
    expect(['greedy', 'a', 'b', 'c', 'a'].map((caller) => places.enter(caller))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    places.resize(1_000);
    expect(places.enter('c')).toBe(true);
    expect(places.busy).toBe(70);
  });

  it('that become fewer keep nobody out who has less than half of an equal share', () => {
    const places = new FairPlaces(100);
    fill(places, 'greedy');
    places.resize(20);
    expect(fill(places, 'modest')).toBe(5);
    expect(fill(places, 'third')).toBe(4);
    expect(places.enter('greedy')).toBe(false);
  });

  it('all come back', () => {
    const places = new FairPlaces(100);
    for (let time = 0; time < 3; time++) {
      expect(fill(places, 'a')).toBe(67);
      for (let n = 0; n < 67; n++) places.leave('a');
    }
  });
});
