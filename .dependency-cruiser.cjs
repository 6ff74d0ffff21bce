/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: require('./tools/checks/boundaries/rules.cjs'),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|[.]data[^/]*)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
