/** Entry of the wrapper behind `shell: offshoot {0}`. */
console.log(process.argv.slice(2).join(' '));
