import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/**
 * Returns the identifiers in the plain JavaScript files of a folder, which import compiled files
 * and are not type-checked.
 */
function namesInScripts(folder) {
  const names = new Set();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith('.mjs')) continue;
    for (const [name] of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(/\w+/g)) names.add(name);
  }
  return names;
}

/** Returns whether a file is a test or a test helper. */
const isTest = (path) => /\.spec\.ts$|(?:^|\/)testing\//.test(path);

/**
 * Returns the exports of a project that no other file imports, and those that only tests use, as
 * `file: name`. A re-export is not a use. A namespace import and a dynamic import use all exports
 * of a module.
 *
 * @param {string} configFile tsconfig.json
 * @param {string} scripts a folder with plain JavaScript that also uses exports
 * @returns {{ unused: string[]; testOnly: string[] }} `unused`: no other file imports it;
 *   `testOnly`: tests import it, and nothing else uses it, not even its own file
 */
export function unusedExports(configFile, scripts) {
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(String(messageText));
    },
  };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(configFile, {}, host);
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const pathOf = ({ fileName }) => relative(dirname(configFile), fileName);
  /** Symbols that other files import, and symbols that a non-test file uses. */
  const [imported, shipped] = [new Set(), new Set()];
  const original = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

  function visit(source) {
    const byProgram = !isTest(pathOf(source));
    const exported = checker.getSymbolAtLocation(source)?.exports;
    const use = (symbol) => {
      if (!symbol) return;
      imported.add(original(symbol));
      if (byProgram) shipped.add(original(symbol));
    };
    const useAll = (specifier) => {
      const module = checker.getSymbolAtLocation(specifier);
      if (module) checker.getExportsOfModule(module).forEach(use);
    };
    const useInside = (node) => {
      const symbol = ts.isShorthandPropertyAssignment(node.parent)
        ? checker.getShorthandAssignmentValueSymbol(node.parent)
        : checker.getSymbolAtLocation(node);
      const isInDeclaration = symbol?.declarations?.some((it) => it.pos <= node.pos && node.end <= it.end);
      if (symbol && !isInDeclaration) shipped.add(checker.getExportSymbolOfSymbol(symbol));
    };
    const walk = (node) => {
      if (ts.isImportSpecifier(node) || (ts.isImportClause(node) && node.name))
        use(checker.getSymbolAtLocation(node.name));
      else if (ts.isNamespaceImport(node)) useAll(node.parent.parent.moduleSpecifier);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
        useAll(node.arguments[0]);
      else if (ts.isImportTypeNode(node)) {
        if (node.qualifier) use(checker.getSymbolAtLocation(node.qualifier));
        else useAll(node.argument.literal);
      } else if (ts.isIdentifier(node) && byProgram && exported?.has(node.escapedText)) useInside(node);
      ts.forEachChild(node, walk);
    };
    walk(source);
  }

  const sources = fileNames.map((name) => program.getSourceFile(name));
  sources.forEach(visit);
  const inScripts = namesInScripts(scripts);
  const found = sources
    .filter((source) => !source.isDeclarationFile)
    .flatMap((source) =>
      [...(checker.getSymbolAtLocation(source)?.exports?.values() ?? [])]
        .filter((symbol) => symbol.valueDeclaration ?? symbol.declarations?.some((it) => !ts.isExportDeclaration(it)))
        .filter((symbol) => !(symbol.flags & ts.SymbolFlags.Alias) && symbol.name !== 'default')
        .filter((symbol) => !inScripts.has(symbol.name))
        .map((symbol) => ({ symbol, path: pathOf(source), text: `${pathOf(source)}: ${symbol.name}` })),
    );
  const texts = (exports) => exports.map(({ text }) => text).sort();
  return {
    unused: texts(found.filter(({ symbol }) => !imported.has(symbol))),
    testOnly: texts(found.filter(({ symbol, path }) => imported.has(symbol) && !shipped.has(symbol) && !isTest(path))),
  };
}
