import { Sandbox } from 'offshoot';

/**
 * Searches a tree by forking forks: at each of three levels every move is tried in a copy of the best position so far, a scorer judges the
 * copies, and the search goes on from the winner. Here a position is a number in a file; it may be anything that a machine can hold.
 */

const goal = 50;
const moves = ['n + 7', 'n * 3', 'n * n'];

await using all = new AsyncDisposableStack(); // stops whatever is left, also after an error
let best = all.use(await Sandbox.create({ egress: { mode: 'none' }, labels: { example: 'tree-search' } }));
await best.files.write('/workspace/n', '2');

for (let level = 1; level <= 3; level += 1) {
  const copies = (await best.fork({ count: moves.length, labels: { level: String(level) } })).map((copy) =>
    all.use(copy),
  );
  const tried = await Promise.all(
    copies.map(async (copy, index) => {
      const move = moves[index] ?? 'n';
      await copy.exec(['python3', '-c', `n = int(open('n').read()); open('n', 'w').write(str(${move}))`], {
        check: true,
      });
      return { copy, move, distance: await score(copy) };
    }),
  );
  const [winner, ...losers] = tried.toSorted((one, other) => one.distance - other.distance);
  if (winner === undefined) break;
  await Promise.all([best, ...losers.map(({ copy }) => copy)].map((sandbox) => sandbox.stop()));
  best = winner.copy;
  console.log(`level ${String(level)}: ${winner.move}, ${String(winner.distance)} from the goal`);
}
console.log(`${await best.files.readText('/workspace/n')} in a sandbox of generation ${String(best.info.generation)}`);

/** How far a position is from the goal: less is better. */
async function score(sandbox: Sandbox): Promise<number> {
  return Math.abs(goal - Number(await sandbox.files.readText('/workspace/n')));
}
