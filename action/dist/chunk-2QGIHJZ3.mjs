import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  version
} from "./chunk-GNMEBZAE.mjs";
import {
  byteSize,
  exitCodeOf,
  milliseconds,
  printJson,
  printJsonLine,
  printable,
  shortDuration,
  streamExec,
  table
} from "./chunk-6QMW4PQJ.mjs";
import {
  keepLease
} from "./chunk-6DJXB2CB.mjs";
import {
  Stopwatch,
  openingRules,
  rulesThatOpen
} from "./chunk-2J7B57AF.mjs";
import {
  HostClient
} from "./chunk-OZEBK3DO.mjs";
import {
  Sandbox,
  isForkFailed
} from "./chunk-7WZNFVLZ.mjs";
import {
  OffshootError,
  catalogue,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  egressModeSchema,
  egressModes,
  egressWords
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import {
  __callDispose,
  __using
} from "./chunk-GCJLRCZB.mjs";

// node_modules/commander/lib/error.js
var CommanderError = class extends Error {
  /**
   * Constructs the CommanderError class
   * @param {number} exitCode suggested exit code which could be used with process.exit
   * @param {string} code an id string representing the error
   * @param {string} message human-readable description of the error
   */
  constructor(exitCode, code, message) {
    super(message);
    Error.captureStackTrace(this, this.constructor);
    this.name = this.constructor.name;
    this.code = code;
    this.exitCode = exitCode;
    this.nestedError = void 0;
  }
};
var InvalidArgumentError = class extends CommanderError {
  /**
   * Constructs the InvalidArgumentError class
   * @param {string} [message] explanation of why argument is invalid
   */
  constructor(message) {
    super(1, "commander.invalidArgument", message);
    Error.captureStackTrace(this, this.constructor);
    this.name = this.constructor.name;
  }
};

// node_modules/commander/lib/argument.js
var Argument = class {
  /**
   * Initialize a new command argument with the given name and description.
   * The default is that the argument is required, and you can explicitly
   * indicate this with <> around the name. Put [] around the name for an optional argument.
   *
   * @param {string} name
   * @param {string} [description]
   */
  constructor(name, description) {
    this.description = description || "";
    this.variadic = false;
    this.parseArg = void 0;
    this.defaultValue = void 0;
    this.defaultValueDescription = void 0;
    this.argChoices = void 0;
    switch (name[0]) {
      case "<":
        this.required = true;
        this._name = name.slice(1, -1);
        break;
      case "[":
        this.required = false;
        this._name = name.slice(1, -1);
        break;
      default:
        this.required = true;
        this._name = name;
        break;
    }
    if (this._name.endsWith("...")) {
      this.variadic = true;
      this._name = this._name.slice(0, -3);
    }
  }
  /**
   * Return argument name.
   *
   * @return {string}
   */
  name() {
    return this._name;
  }
  /**
   * @package
   */
  _collectValue(value, previous) {
    if (previous === this.defaultValue || !Array.isArray(previous)) {
      return [value];
    }
    previous.push(value);
    return previous;
  }
  /**
   * Set the default value, and optionally supply the description to be displayed in the help.
   *
   * @param {*} value
   * @param {string} [description]
   * @return {Argument}
   */
  default(value, description) {
    this.defaultValue = value;
    this.defaultValueDescription = description;
    return this;
  }
  /**
   * Set the custom handler for processing CLI command arguments into argument values.
   *
   * @param {Function} [fn]
   * @return {Argument}
   */
  argParser(fn) {
    this.parseArg = fn;
    return this;
  }
  /**
   * Only allow argument value to be one of choices.
   *
   * @param {string[]} values
   * @return {Argument}
   */
  choices(values) {
    this.argChoices = values.slice();
    this.parseArg = (arg, previous) => {
      if (!this.argChoices.includes(arg)) {
        throw new InvalidArgumentError(
          `Allowed choices are ${this.argChoices.join(", ")}.`
        );
      }
      if (this.variadic) {
        return this._collectValue(arg, previous);
      }
      return arg;
    };
    return this;
  }
  /**
   * Make argument required.
   *
   * @returns {Argument}
   */
  argRequired() {
    this.required = true;
    return this;
  }
  /**
   * Make argument optional.
   *
   * @returns {Argument}
   */
  argOptional() {
    this.required = false;
    return this;
  }
};
function humanReadableArgName(arg) {
  const nameOutput = arg.name() + (arg.variadic === true ? "..." : "");
  return arg.required ? "<" + nameOutput + ">" : "[" + nameOutput + "]";
}

// node_modules/commander/lib/command.js
import { EventEmitter } from "node:events";
import childProcess from "node:child_process";
import path from "node:path";
import fs from "node:fs";
import process2 from "node:process";
import { stripVTControlCharacters as stripVTControlCharacters2 } from "node:util";

// node_modules/commander/lib/help.js
import { stripVTControlCharacters } from "node:util";
var Help = class {
  constructor() {
    this.helpWidth = void 0;
    this.minWidthToWrap = 40;
    this.sortSubcommands = false;
    this.sortOptions = false;
    this.showGlobalOptions = false;
  }
  /**
   * prepareContext is called by Commander after applying overrides from `Command.configureHelp()`
   * and just before calling `formatHelp()`.
   *
   * Commander just uses the helpWidth and the rest is provided for optional use by more complex subclasses.
   *
   * @param {{ error?: boolean, helpWidth?: number, outputHasColors?: boolean }} contextOptions
   */
  prepareContext(contextOptions) {
    this.helpWidth = this.helpWidth ?? contextOptions.helpWidth ?? 80;
  }
  /**
   * Get an array of the visible subcommands. Includes a placeholder for the implicit help command, if there is one.
   *
   * @param {Command} cmd
   * @returns {Command[]}
   */
  visibleCommands(cmd) {
    const visibleCommands = cmd.commands.filter((cmd2) => !cmd2._hidden);
    const helpCommand = cmd._getHelpCommand();
    if (helpCommand && !helpCommand._hidden) {
      visibleCommands.push(helpCommand);
    }
    if (this.sortSubcommands) {
      visibleCommands.sort((a, b) => {
        return a.name().localeCompare(b.name());
      });
    }
    return visibleCommands;
  }
  /**
   * Compare options for sort.
   *
   * @param {Option} a
   * @param {Option} b
   * @returns {number}
   */
  compareOptions(a, b) {
    const getSortKey = (option) => {
      return option.short ? option.short.replace(/^-/, "") : option.long.replace(/^--/, "");
    };
    return getSortKey(a).localeCompare(getSortKey(b));
  }
  /**
   * Get an array of the visible options. Includes a placeholder for the implicit help option, if there is one.
   *
   * @param {Command} cmd
   * @returns {Option[]}
   */
  visibleOptions(cmd) {
    const visibleOptions = cmd.options.filter((option) => !option.hidden);
    const helpOption = cmd._getHelpOption();
    if (helpOption && !helpOption.hidden) {
      const removeShort = helpOption.short && cmd._findOption(helpOption.short);
      const removeLong = helpOption.long && cmd._findOption(helpOption.long);
      if (!removeShort && !removeLong) {
        visibleOptions.push(helpOption);
      } else if (helpOption.long && !removeLong) {
        visibleOptions.push(
          cmd.createOption(helpOption.long, helpOption.description).helpGroup(helpOption.helpGroupHeading)
        );
      } else if (helpOption.short && !removeShort) {
        visibleOptions.push(
          cmd.createOption(helpOption.short, helpOption.description).helpGroup(helpOption.helpGroupHeading)
        );
      }
    }
    if (this.sortOptions) {
      visibleOptions.sort(this.compareOptions);
    }
    return visibleOptions;
  }
  /**
   * Get an array of the visible global options. (Not including help.)
   *
   * @param {Command} cmd
   * @returns {Option[]}
   */
  visibleGlobalOptions(cmd) {
    if (!this.showGlobalOptions) return [];
    const globalOptions = [];
    for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
      const visibleOptions = ancestorCmd.options.filter(
        (option) => !option.hidden
      );
      globalOptions.push(...visibleOptions);
    }
    if (this.sortOptions) {
      globalOptions.sort(this.compareOptions);
    }
    return globalOptions;
  }
  /**
   * Get an array of the arguments if any have a description.
   *
   * @param {Command} cmd
   * @returns {Argument[]}
   */
  visibleArguments(cmd) {
    if (cmd._argsDescription) {
      cmd.registeredArguments.forEach((argument) => {
        argument.description = argument.description || cmd._argsDescription[argument.name()] || "";
      });
    }
    if (cmd.registeredArguments.find((argument) => argument.description)) {
      return cmd.registeredArguments;
    }
    return [];
  }
  /**
   * Get the command term to show in the list of subcommands.
   *
   * @param {Command} cmd
   * @returns {string}
   */
  subcommandTerm(cmd) {
    const args = cmd.registeredArguments.map((arg) => humanReadableArgName(arg)).join(" ");
    return cmd._name + (cmd._aliases[0] ? "|" + cmd._aliases[0] : "") + (cmd.options.length ? " [options]" : "") + // simplistic check for non-help option
    (args ? " " + args : "");
  }
  /**
   * Get the option term to show in the list of options.
   *
   * @param {Option} option
   * @returns {string}
   */
  optionTerm(option) {
    return option.flags;
  }
  /**
   * Get the argument term to show in the list of arguments.
   *
   * @param {Argument} argument
   * @returns {string}
   */
  argumentTerm(argument) {
    return argument.name();
  }
  /**
   * Get the longest command term length.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {number}
   */
  longestSubcommandTermLength(cmd, helper) {
    return helper.visibleCommands(cmd).reduce((max, command) => {
      return Math.max(
        max,
        this.displayWidth(
          helper.styleSubcommandTerm(helper.subcommandTerm(command))
        )
      );
    }, 0);
  }
  /**
   * Get the longest option term length.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {number}
   */
  longestOptionTermLength(cmd, helper) {
    return helper.visibleOptions(cmd).reduce((max, option) => {
      return Math.max(
        max,
        this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option)))
      );
    }, 0);
  }
  /**
   * Get the longest global option term length.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {number}
   */
  longestGlobalOptionTermLength(cmd, helper) {
    return helper.visibleGlobalOptions(cmd).reduce((max, option) => {
      return Math.max(
        max,
        this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option)))
      );
    }, 0);
  }
  /**
   * Get the longest argument term length.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {number}
   */
  longestArgumentTermLength(cmd, helper) {
    return helper.visibleArguments(cmd).reduce((max, argument) => {
      return Math.max(
        max,
        this.displayWidth(
          helper.styleArgumentTerm(helper.argumentTerm(argument))
        )
      );
    }, 0);
  }
  /**
   * Get the command usage to be displayed at the top of the built-in help.
   *
   * @param {Command} cmd
   * @returns {string}
   */
  commandUsage(cmd) {
    let cmdName = cmd._name;
    if (cmd._aliases[0]) {
      cmdName = cmdName + "|" + cmd._aliases[0];
    }
    let ancestorCmdNames = "";
    for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
      ancestorCmdNames = ancestorCmd.name() + " " + ancestorCmdNames;
    }
    return ancestorCmdNames + cmdName + " " + cmd.usage();
  }
  /**
   * Get the description for the command.
   *
   * @param {Command} cmd
   * @returns {string}
   */
  commandDescription(cmd) {
    return cmd.description();
  }
  /**
   * Get the subcommand summary to show in the list of subcommands.
   * (Fallback to description for backwards compatibility.)
   *
   * @param {Command} cmd
   * @returns {string}
   */
  subcommandDescription(cmd) {
    return cmd.summary() || cmd.description();
  }
  /**
   * Get the option description to show in the list of options.
   *
   * @param {Option} option
   * @return {string}
   */
  optionDescription(option) {
    const extraInfo = [];
    if (option.argChoices) {
      extraInfo.push(
        // use stringify to match the display of the default value
        `choices: ${option.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`
      );
    }
    if (option.defaultValue !== void 0) {
      const showDefault = option.required || option.optional || option.isBoolean() && typeof option.defaultValue === "boolean";
      if (showDefault) {
        extraInfo.push(
          `default: ${option.defaultValueDescription || JSON.stringify(option.defaultValue)}`
        );
      }
    }
    if (option.presetArg !== void 0 && option.optional) {
      extraInfo.push(`preset: ${JSON.stringify(option.presetArg)}`);
    }
    if (option.envVar !== void 0) {
      extraInfo.push(`env: ${option.envVar}`);
    }
    if (extraInfo.length > 0) {
      const extraDescription = `(${extraInfo.join(", ")})`;
      if (option.description) {
        return `${option.description} ${extraDescription}`;
      }
      return extraDescription;
    }
    return option.description;
  }
  /**
   * Get the argument description to show in the list of arguments.
   *
   * @param {Argument} argument
   * @return {string}
   */
  argumentDescription(argument) {
    const extraInfo = [];
    if (argument.argChoices) {
      extraInfo.push(
        // use stringify to match the display of the default value
        `choices: ${argument.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`
      );
    }
    if (argument.defaultValue !== void 0) {
      extraInfo.push(
        `default: ${argument.defaultValueDescription || JSON.stringify(argument.defaultValue)}`
      );
    }
    if (extraInfo.length > 0) {
      const extraDescription = `(${extraInfo.join(", ")})`;
      if (argument.description) {
        return `${argument.description} ${extraDescription}`;
      }
      return extraDescription;
    }
    return argument.description;
  }
  /**
   * Format a list of items, given a heading and an array of formatted items.
   *
   * @param {string} heading
   * @param {string[]} items
   * @param {Help} helper
   * @returns string[]
   */
  formatItemList(heading, items, helper) {
    if (items.length === 0) return [];
    return [helper.styleTitle(heading), ...items, ""];
  }
  /**
   * Group items by their help group heading.
   *
   * @param {Command[] | Option[]} unsortedItems
   * @param {Command[] | Option[]} visibleItems
   * @param {Function} getGroup
   * @returns {Map<string, Command[] | Option[]>}
   */
  groupItems(unsortedItems, visibleItems, getGroup) {
    const result = /* @__PURE__ */ new Map();
    unsortedItems.forEach((item) => {
      const group = getGroup(item);
      if (!result.has(group)) result.set(group, []);
    });
    visibleItems.forEach((item) => {
      const group = getGroup(item);
      if (!result.has(group)) {
        result.set(group, []);
      }
      result.get(group).push(item);
    });
    return result;
  }
  /**
   * Generate the built-in help text.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {string}
   */
  formatHelp(cmd, helper) {
    const termWidth = helper.padWidth(cmd, helper);
    const helpWidth = helper.helpWidth ?? 80;
    function callFormatItem(term, description) {
      return helper.formatItem(term, termWidth, description, helper);
    }
    let output = [
      `${helper.styleTitle("Usage:")} ${helper.styleUsage(helper.commandUsage(cmd))}`,
      ""
    ];
    const commandDescription = helper.commandDescription(cmd);
    if (commandDescription.length > 0) {
      output = output.concat([
        helper.boxWrap(
          helper.styleCommandDescription(commandDescription),
          helpWidth
        ),
        ""
      ]);
    }
    const argumentList = helper.visibleArguments(cmd).map((argument) => {
      return callFormatItem(
        helper.styleArgumentTerm(helper.argumentTerm(argument)),
        helper.styleArgumentDescription(helper.argumentDescription(argument))
      );
    });
    output = output.concat(
      this.formatItemList("Arguments:", argumentList, helper)
    );
    const optionGroups = this.groupItems(
      cmd.options,
      helper.visibleOptions(cmd),
      (option) => option.helpGroupHeading ?? "Options:"
    );
    optionGroups.forEach((options, group) => {
      const optionList = options.map((option) => {
        return callFormatItem(
          helper.styleOptionTerm(helper.optionTerm(option)),
          helper.styleOptionDescription(helper.optionDescription(option))
        );
      });
      output = output.concat(this.formatItemList(group, optionList, helper));
    });
    if (helper.showGlobalOptions) {
      const globalOptionList = helper.visibleGlobalOptions(cmd).map((option) => {
        return callFormatItem(
          helper.styleOptionTerm(helper.optionTerm(option)),
          helper.styleOptionDescription(helper.optionDescription(option))
        );
      });
      output = output.concat(
        this.formatItemList("Global Options:", globalOptionList, helper)
      );
    }
    const commandGroups = this.groupItems(
      cmd.commands,
      helper.visibleCommands(cmd),
      (sub) => sub.helpGroup() || "Commands:"
    );
    commandGroups.forEach((commands, group) => {
      const commandList = commands.map((sub) => {
        return callFormatItem(
          helper.styleSubcommandTerm(helper.subcommandTerm(sub)),
          helper.styleSubcommandDescription(helper.subcommandDescription(sub))
        );
      });
      output = output.concat(this.formatItemList(group, commandList, helper));
    });
    return output.join("\n");
  }
  /**
   * Return display width of string, ignoring ANSI escape sequences. Used in padding and wrapping calculations.
   *
   * @param {string} str
   * @returns {number}
   */
  displayWidth(str) {
    return stripVTControlCharacters(str).length;
  }
  /**
   * Style the title for displaying in the help. Called with 'Usage:', 'Options:', etc.
   *
   * @param {string} str
   * @returns {string}
   */
  styleTitle(str) {
    return str;
  }
  styleUsage(str) {
    return str.split(" ").map((word) => {
      if (word === "[options]") return this.styleOptionText(word);
      if (word === "[command]") return this.styleSubcommandText(word);
      if (word[0] === "[" || word[0] === "<")
        return this.styleArgumentText(word);
      return this.styleCommandText(word);
    }).join(" ");
  }
  styleCommandDescription(str) {
    return this.styleDescriptionText(str);
  }
  styleOptionDescription(str) {
    return this.styleDescriptionText(str);
  }
  styleSubcommandDescription(str) {
    return this.styleDescriptionText(str);
  }
  styleArgumentDescription(str) {
    return this.styleDescriptionText(str);
  }
  styleDescriptionText(str) {
    return str;
  }
  styleOptionTerm(str) {
    return this.styleOptionText(str);
  }
  styleSubcommandTerm(str) {
    return str.split(" ").map((word) => {
      if (word === "[options]") return this.styleOptionText(word);
      if (word[0] === "[" || word[0] === "<")
        return this.styleArgumentText(word);
      return this.styleSubcommandText(word);
    }).join(" ");
  }
  styleArgumentTerm(str) {
    return this.styleArgumentText(str);
  }
  styleOptionText(str) {
    return str;
  }
  styleArgumentText(str) {
    return str;
  }
  styleSubcommandText(str) {
    return str;
  }
  styleCommandText(str) {
    return str;
  }
  /**
   * Calculate the pad width from the maximum term length.
   *
   * @param {Command} cmd
   * @param {Help} helper
   * @returns {number}
   */
  padWidth(cmd, helper) {
    return Math.max(
      helper.longestOptionTermLength(cmd, helper),
      helper.longestGlobalOptionTermLength(cmd, helper),
      helper.longestSubcommandTermLength(cmd, helper),
      helper.longestArgumentTermLength(cmd, helper)
    );
  }
  /**
   * Detect manually wrapped and indented strings by checking for line break followed by whitespace.
   *
   * @param {string} str
   * @returns {boolean}
   */
  preformatted(str) {
    return /\n[^\S\r\n]/.test(str);
  }
  /**
   * Format the "item", which consists of a term and description. Pad the term and wrap the description, indenting the following lines.
   *
   * So "TTT", 5, "DDD DDDD DD DDD" might be formatted for this.helpWidth=17 like so:
   *   TTT  DDD DDDD
   *        DD DDD
   *
   * @param {string} term
   * @param {number} termWidth
   * @param {string} description
   * @param {Help} helper
   * @returns {string}
   */
  formatItem(term, termWidth, description, helper) {
    const itemIndent = 2;
    const itemIndentStr = " ".repeat(itemIndent);
    if (!description) return itemIndentStr + term;
    const paddedTerm = term.padEnd(
      termWidth + term.length - helper.displayWidth(term)
    );
    const spacerWidth = 2;
    const helpWidth = this.helpWidth ?? 80;
    const remainingWidth = helpWidth - termWidth - spacerWidth - itemIndent;
    let formattedDescription;
    if (remainingWidth < this.minWidthToWrap || helper.preformatted(description)) {
      formattedDescription = description;
    } else {
      const wrappedDescription = helper.boxWrap(description, remainingWidth);
      formattedDescription = wrappedDescription.replace(
        /\n/g,
        "\n" + " ".repeat(termWidth + spacerWidth)
      );
    }
    return itemIndentStr + paddedTerm + " ".repeat(spacerWidth) + formattedDescription.replace(/\n/g, `
${itemIndentStr}`);
  }
  /**
   * Wrap a string at whitespace, preserving existing line breaks.
   * Wrapping is skipped if the width is less than `minWidthToWrap`.
   *
   * @param {string} str
   * @param {number} width
   * @returns {string}
   */
  boxWrap(str, width) {
    if (width < this.minWidthToWrap) return str;
    const rawLines = str.split(/\r\n|\n/);
    const chunkPattern = /[\s]*[^\s]+/g;
    const wrappedLines = [];
    rawLines.forEach((line) => {
      const chunks = line.match(chunkPattern);
      if (chunks === null) {
        wrappedLines.push("");
        return;
      }
      let sumChunks = [chunks.shift()];
      let sumWidth = this.displayWidth(sumChunks[0]);
      chunks.forEach((chunk) => {
        const visibleWidth = this.displayWidth(chunk);
        if (sumWidth + visibleWidth <= width) {
          sumChunks.push(chunk);
          sumWidth += visibleWidth;
          return;
        }
        wrappedLines.push(sumChunks.join(""));
        const nextChunk = chunk.trimStart();
        sumChunks = [nextChunk];
        sumWidth = this.displayWidth(nextChunk);
      });
      wrappedLines.push(sumChunks.join(""));
    });
    return wrappedLines.join("\n");
  }
};

// node_modules/commander/lib/option.js
var Option = class {
  /**
   * Initialize a new `Option` with the given `flags` and `description`.
   *
   * @param {string} flags
   * @param {string} [description]
   */
  constructor(flags, description) {
    this.flags = flags;
    this.description = description || "";
    this.required = flags.includes("<");
    this.optional = flags.includes("[");
    this.variadic = new RegExp("\\p{ID_Continue}\\.\\.\\.[>\\]]$", "u").test(flags);
    this.mandatory = false;
    const optionFlags = splitOptionFlags(flags);
    this.short = optionFlags.shortFlag;
    this.long = optionFlags.longFlag;
    this.negate = false;
    if (this.long) {
      this.negate = this.long.startsWith("--no-");
    }
    this.defaultValue = void 0;
    this.defaultValueDescription = void 0;
    this.presetArg = void 0;
    this.envVar = void 0;
    this.parseArg = void 0;
    this.hidden = false;
    this.argChoices = void 0;
    this.conflictsWith = [];
    this.implied = void 0;
    this.helpGroupHeading = void 0;
  }
  /**
   * Set the default value, and optionally supply the description to be displayed in the help.
   *
   * @param {*} value
   * @param {string} [description]
   * @return {Option}
   */
  default(value, description) {
    this.defaultValue = value;
    this.defaultValueDescription = description;
    return this;
  }
  /**
   * Preset to use when option used without option-argument, especially optional but also boolean and negated.
   * The custom processing (parseArg) is called.
   *
   * @example
   * new Option('--color').default('GREYSCALE').preset('RGB');
   * new Option('--donate [amount]').preset('20').argParser(parseFloat);
   *
   * @param {*} arg
   * @return {Option}
   */
  preset(arg) {
    this.presetArg = arg;
    return this;
  }
  /**
   * Add option name(s) that conflict with this option.
   * An error will be displayed if conflicting options are found during parsing.
   *
   * @example
   * new Option('--rgb').conflicts('cmyk');
   * new Option('--js').conflicts(['ts', 'jsx']);
   *
   * @param {(string | string[])} names
   * @return {Option}
   */
  conflicts(names) {
    this.conflictsWith = this.conflictsWith.concat(names);
    return this;
  }
  /**
   * Specify implied option values for when this option is set and the implied options are not.
   *
   * The custom processing (parseArg) is not called on the implied values.
   *
   * @example
   * program
   *   .addOption(new Option('--log', 'write logging information to file'))
   *   .addOption(new Option('--trace', 'log extra details').implies({ log: 'trace.txt' }));
   *
   * @param {object} impliedOptionValues
   * @return {Option}
   */
  implies(impliedOptionValues) {
    let newImplied = impliedOptionValues;
    if (typeof impliedOptionValues === "string") {
      newImplied = { [impliedOptionValues]: true };
    }
    this.implied = Object.assign(this.implied || {}, newImplied);
    return this;
  }
  /**
   * Set environment variable to check for option value.
   *
   * An environment variable is only used if when processed the current option value is
   * undefined, or the source of the current value is 'default' or 'config' or 'env'.
   *
   * @param {string} name
   * @return {Option}
   */
  env(name) {
    this.envVar = name;
    return this;
  }
  /**
   * Set the custom handler for processing CLI option arguments into option values.
   *
   * @param {Function} [fn]
   * @return {Option}
   */
  argParser(fn) {
    this.parseArg = fn;
    return this;
  }
  /**
   * Whether the option is mandatory and must have a value after parsing.
   *
   * @param {boolean} [mandatory=true]
   * @return {Option}
   */
  makeOptionMandatory(mandatory = true) {
    this.mandatory = !!mandatory;
    return this;
  }
  /**
   * Hide option in help.
   *
   * @param {boolean} [hide=true]
   * @return {Option}
   */
  hideHelp(hide = true) {
    this.hidden = !!hide;
    return this;
  }
  /**
   * @package
   */
  _collectValue(value, previous) {
    if (previous === this.defaultValue || !Array.isArray(previous)) {
      return [value];
    }
    previous.push(value);
    return previous;
  }
  /**
   * Only allow option value to be one of choices.
   *
   * @param {string[]} values
   * @return {Option}
   */
  choices(values) {
    this.argChoices = values.slice();
    this.parseArg = (arg, previous) => {
      if (!this.argChoices.includes(arg)) {
        throw new InvalidArgumentError(
          `Allowed choices are ${this.argChoices.join(", ")}.`
        );
      }
      if (this.variadic) {
        return this._collectValue(arg, previous);
      }
      return arg;
    };
    return this;
  }
  /**
   * Return option name.
   *
   * @return {string}
   */
  name() {
    if (this.long) {
      return this.long.replace(/^--/, "");
    }
    return this.short.replace(/^-/, "");
  }
  /**
   * Return option name, in a camelcase format that can be used
   * as an object attribute key.
   *
   * @return {string}
   */
  attributeName() {
    if (this.negate) {
      return camelcase(this.name().replace(/^no-/, ""));
    }
    return camelcase(this.name());
  }
  /**
   * Set the help group heading.
   *
   * @param {string} heading
   * @return {Option}
   */
  helpGroup(heading) {
    this.helpGroupHeading = heading;
    return this;
  }
  /**
   * Check if `arg` matches the short or long flag.
   *
   * @param {string} arg
   * @return {boolean}
   * @package
   */
  is(arg) {
    return this.short === arg || this.long === arg;
  }
  /**
   * Return whether a boolean option.
   *
   * Options are one of boolean, negated, required argument, or optional argument.
   *
   * @return {boolean}
   * @package
   */
  isBoolean() {
    return !this.required && !this.optional && !this.negate;
  }
};
var DualOptions = class {
  /**
   * @param {Option[]} options
   */
  constructor(options) {
    this.positiveOptions = /* @__PURE__ */ new Map();
    this.negativeOptions = /* @__PURE__ */ new Map();
    this.dualOptions = /* @__PURE__ */ new Set();
    options.forEach((option) => {
      if (option.negate) {
        this.negativeOptions.set(option.attributeName(), option);
      } else {
        this.positiveOptions.set(option.attributeName(), option);
      }
    });
    this.negativeOptions.forEach((value, key) => {
      if (this.positiveOptions.has(key)) {
        this.dualOptions.add(key);
      }
    });
  }
  /**
   * Did the value come from the option, and not from possible matching dual option?
   *
   * @param {*} value
   * @param {Option} option
   * @returns {boolean}
   */
  valueFromOption(value, option) {
    const optionKey = option.attributeName();
    if (!this.dualOptions.has(optionKey)) return true;
    const preset = this.negativeOptions.get(optionKey).presetArg;
    const negativeValue = preset !== void 0 ? preset : false;
    return option.negate === (negativeValue === value);
  }
};
function camelcase(str) {
  return str.split("-").reduce((str2, word) => {
    return str2 + word[0].toUpperCase() + word.slice(1);
  });
}
function splitOptionFlags(flags) {
  let shortFlag;
  let longFlag;
  const shortFlagExp = /^-[^-]$/;
  const longFlagExp = /^--[^-]/;
  const flagParts = flags.split(/[ |,]+/).concat("guard");
  if (shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
  if (longFlagExp.test(flagParts[0])) longFlag = flagParts.shift();
  if (!shortFlag && shortFlagExp.test(flagParts[0]))
    shortFlag = flagParts.shift();
  if (!shortFlag && longFlagExp.test(flagParts[0])) {
    shortFlag = longFlag;
    longFlag = flagParts.shift();
  }
  if (flagParts[0].startsWith("-")) {
    const unsupportedFlag = flagParts[0];
    const baseError = `option creation failed due to '${unsupportedFlag}' in option flags '${flags}'`;
    if (/^-[^-][^-]/.test(unsupportedFlag))
      throw new Error(
        `${baseError}
- a short flag is a single dash and a single character
  - either use a single dash and a single character (for a short flag)
  - or use a double dash for a long option (and can have two, like '--ws, --workspace')`
      );
    if (shortFlagExp.test(unsupportedFlag))
      throw new Error(`${baseError}
- too many short flags`);
    if (longFlagExp.test(unsupportedFlag))
      throw new Error(`${baseError}
- too many long flags`);
    throw new Error(`${baseError}
- unrecognised flag format`);
  }
  if (shortFlag === void 0 && longFlag === void 0)
    throw new Error(
      `option creation failed due to no flags found in '${flags}'.`
    );
  return { shortFlag, longFlag };
}

// node_modules/commander/lib/suggestSimilar.js
var maxDistance = 3;
function editDistance(a, b) {
  if (Math.abs(a.length - b.length) > maxDistance)
    return Math.max(a.length, b.length);
  const d = [];
  for (let i = 0; i <= a.length; i++) {
    d[i] = [i];
  }
  for (let j = 0; j <= b.length; j++) {
    d[0][j] = j;
  }
  for (let j = 1; j <= b.length; j++) {
    for (let i = 1; i <= a.length; i++) {
      let cost;
      if (a[i - 1] === b[j - 1]) {
        cost = 0;
      } else {
        cost = 1;
      }
      d[i][j] = Math.min(
        d[i - 1][j] + 1,
        // deletion
        d[i][j - 1] + 1,
        // insertion
        d[i - 1][j - 1] + cost
        // substitution
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.length][b.length];
}
function suggestSimilar(word, candidates) {
  if (!candidates || candidates.length === 0) return "";
  candidates = Array.from(new Set(candidates));
  const searchingOptions = word.startsWith("--");
  if (searchingOptions) {
    word = word.slice(2);
    candidates = candidates.map((candidate) => candidate.slice(2));
  }
  let similar = [];
  let bestDistance = maxDistance;
  const minSimilarity = 0.4;
  candidates.forEach((candidate) => {
    if (candidate.length <= 1) return;
    const distance = editDistance(word, candidate);
    const length = Math.max(word.length, candidate.length);
    const similarity = (length - distance) / length;
    if (similarity > minSimilarity) {
      if (distance < bestDistance) {
        bestDistance = distance;
        similar = [candidate];
      } else if (distance === bestDistance) {
        similar.push(candidate);
      }
    }
  });
  similar.sort((a, b) => a.localeCompare(b));
  if (searchingOptions) {
    similar = similar.map((candidate) => `--${candidate}`);
  }
  if (similar.length > 1) {
    return `
(Did you mean one of ${similar.join(", ")}?)`;
  }
  if (similar.length === 1) {
    return `
(Did you mean ${similar[0]}?)`;
  }
  return "";
}

// node_modules/commander/lib/command.js
var Command = class _Command extends EventEmitter {
  /**
   * Initialize a new `Command`.
   *
   * @param {string} [name]
   */
  constructor(name) {
    super();
    this.commands = [];
    this.options = [];
    this.parent = null;
    this._allowUnknownOption = false;
    this._allowExcessArguments = false;
    this.registeredArguments = [];
    this._args = this.registeredArguments;
    this.args = [];
    this.rawArgs = [];
    this.processedArgs = [];
    this._scriptPath = null;
    this._name = name || "";
    this._optionValues = {};
    this._optionValueSources = {};
    this._storeOptionsAsProperties = false;
    this._actionHandler = null;
    this._executableHandler = false;
    this._executableFile = null;
    this._executableDir = null;
    this._defaultCommandName = null;
    this._exitCallback = null;
    this._aliases = [];
    this._combineFlagAndOptionalValue = true;
    this._description = "";
    this._summary = "";
    this._argsDescription = void 0;
    this._enablePositionalOptions = false;
    this._passThroughOptions = false;
    this._lifeCycleHooks = {};
    this._showHelpAfterError = false;
    this._showSuggestionAfterError = true;
    this._savedState = null;
    this._outputConfiguration = {
      writeOut: (str) => process2.stdout.write(str),
      writeErr: (str) => process2.stderr.write(str),
      outputError: (str, write) => write(str),
      getOutHelpWidth: () => process2.stdout.isTTY ? process2.stdout.columns : void 0,
      getErrHelpWidth: () => process2.stderr.isTTY ? process2.stderr.columns : void 0,
      getOutHasColors: () => useColor() ?? (process2.stdout.isTTY && process2.stdout.hasColors?.()),
      getErrHasColors: () => useColor() ?? (process2.stderr.isTTY && process2.stderr.hasColors?.()),
      stripColor: (str) => stripVTControlCharacters2(str)
    };
    this._hidden = false;
    this._helpOption = void 0;
    this._addImplicitHelpCommand = void 0;
    this._helpCommand = void 0;
    this._helpConfiguration = {};
    this._helpGroupHeading = void 0;
    this._defaultCommandGroup = void 0;
    this._defaultOptionGroup = void 0;
  }
  /**
   * Copy settings that are useful to have in common across root command and subcommands.
   *
   * (Used internally when adding a command using `.command()` so subcommands inherit parent settings.)
   *
   * @param {Command} sourceCommand
   * @return {Command} `this` command for chaining
   */
  copyInheritedSettings(sourceCommand) {
    this._outputConfiguration = sourceCommand._outputConfiguration;
    this._helpOption = sourceCommand._helpOption;
    this._helpCommand = sourceCommand._helpCommand;
    this._helpConfiguration = sourceCommand._helpConfiguration;
    this._exitCallback = sourceCommand._exitCallback;
    this._storeOptionsAsProperties = sourceCommand._storeOptionsAsProperties;
    this._combineFlagAndOptionalValue = sourceCommand._combineFlagAndOptionalValue;
    this._allowExcessArguments = sourceCommand._allowExcessArguments;
    this._enablePositionalOptions = sourceCommand._enablePositionalOptions;
    this._showHelpAfterError = sourceCommand._showHelpAfterError;
    this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;
    return this;
  }
  /**
   * @returns {Command[]}
   * @private
   */
  _getCommandAndAncestors() {
    const result = [];
    for (let command = this; command; command = command.parent) {
      result.push(command);
    }
    return result;
  }
  /**
   * Define a command.
   *
   * There are two styles of command: pay attention to where to put the description.
   *
   * @example
   * // Command implemented using action handler (description is supplied separately to `.command`)
   * program
   *   .command('clone <source> [destination]')
   *   .description('clone a repository into a newly created directory')
   *   .action((source, destination) => {
   *     console.log('clone command called');
   *   });
   *
   * // Command implemented using separate executable file (description is second parameter to `.command`)
   * program
   *   .command('start <service>', 'start named service')
   *   .command('stop [service]', 'stop named service, or all if no name supplied');
   *
   * @param {string} nameAndArgs - command name and arguments, args are `<required>` or `[optional]` and last may also be `variadic...`
   * @param {(object | string)} [actionOptsOrExecDesc] - configuration options (for action), or description (for executable)
   * @param {object} [execOpts] - configuration options (for executable)
   * @return {Command} returns new command for action handler, or `this` for executable command
   */
  command(nameAndArgs, actionOptsOrExecDesc, execOpts) {
    let desc = actionOptsOrExecDesc;
    let opts = execOpts;
    if (typeof desc === "object" && desc !== null) {
      opts = desc;
      desc = null;
    }
    opts = opts || {};
    const [, name, args] = nameAndArgs.match(/([^ ]+) *(.*)/);
    const cmd = this.createCommand(name);
    if (desc) {
      cmd.description(desc);
      cmd._executableHandler = true;
    }
    if (opts.isDefault) this._defaultCommandName = cmd._name;
    cmd._hidden = !!(opts.noHelp || opts.hidden);
    cmd._executableFile = opts.executableFile || null;
    if (args) cmd.arguments(args);
    this._registerCommand(cmd);
    cmd.parent = this;
    cmd.copyInheritedSettings(this);
    if (desc) return this;
    return cmd;
  }
  /**
   * Factory routine to create a new unattached command.
   *
   * See .command() for creating an attached subcommand, which uses this routine to
   * create the command. You can override createCommand to customise subcommands.
   *
   * @param {string} [name]
   * @return {Command} new command
   */
  createCommand(name) {
    return new _Command(name);
  }
  /**
   * You can customise the help with a subclass of Help by overriding createHelp,
   * or by overriding Help properties using configureHelp().
   *
   * @return {Help}
   */
  createHelp() {
    return Object.assign(new Help(), this.configureHelp());
  }
  /**
   * You can customise the help by overriding Help properties using configureHelp(),
   * or with a subclass of Help by overriding createHelp().
   *
   * @param {object} [configuration] - configuration options
   * @return {(Command | object)} `this` command for chaining, or stored configuration
   */
  configureHelp(configuration) {
    if (configuration === void 0) return this._helpConfiguration;
    this._helpConfiguration = configuration;
    return this;
  }
  /**
   * The default output goes to stdout and stderr. You can customise this for special
   * applications. You can also customise the display of errors by overriding outputError.
   *
   * The configuration properties are all functions:
   *
   *     // change how output being written, defaults to stdout and stderr
   *     writeOut(str)
   *     writeErr(str)
   *     // change how output being written for errors, defaults to writeErr
   *     outputError(str, write) // used for displaying errors and not used for displaying help
   *     // specify width for wrapping help
   *     getOutHelpWidth()
   *     getErrHelpWidth()
   *     // color support, currently only used with Help
   *     getOutHasColors()
   *     getErrHasColors()
   *     stripColor() // used to remove ANSI escape codes if output does not have colors
   *
   * @param {object} [configuration] - configuration options
   * @return {(Command | object)} `this` command for chaining, or stored configuration
   */
  configureOutput(configuration) {
    if (configuration === void 0) return this._outputConfiguration;
    this._outputConfiguration = {
      ...this._outputConfiguration,
      ...configuration
    };
    return this;
  }
  /**
   * Display the help or a custom message after an error occurs.
   *
   * @param {(boolean|string)} [displayHelp]
   * @return {Command} `this` command for chaining
   */
  showHelpAfterError(displayHelp = true) {
    if (typeof displayHelp !== "string") displayHelp = !!displayHelp;
    this._showHelpAfterError = displayHelp;
    return this;
  }
  /**
   * Display suggestion of similar commands for unknown commands, or options for unknown options.
   *
   * @param {boolean} [displaySuggestion]
   * @return {Command} `this` command for chaining
   */
  showSuggestionAfterError(displaySuggestion = true) {
    this._showSuggestionAfterError = !!displaySuggestion;
    return this;
  }
  /**
   * Add a prepared subcommand.
   *
   * See .command() for creating an attached subcommand which inherits settings from its parent.
   *
   * @param {Command} cmd - new subcommand
   * @param {object} [opts] - configuration options
   * @return {Command} `this` command for chaining
   */
  addCommand(cmd, opts) {
    if (!cmd._name) {
      throw new Error(`Command passed to .addCommand() must have a name
- specify the name in Command constructor or using .name()`);
    }
    opts = opts || {};
    if (opts.isDefault) this._defaultCommandName = cmd._name;
    if (opts.noHelp || opts.hidden) cmd._hidden = true;
    this._registerCommand(cmd);
    cmd.parent = this;
    cmd._checkForBrokenPassThrough();
    return this;
  }
  /**
   * Factory routine to create a new unattached argument.
   *
   * See .argument() for creating an attached argument, which uses this routine to
   * create the argument. You can override createArgument to return a custom argument.
   *
   * @param {string} name
   * @param {string} [description]
   * @return {Argument} new argument
   */
  createArgument(name, description) {
    return new Argument(name, description);
  }
  /**
   * Define argument syntax for command.
   *
   * The default is that the argument is required, and you can explicitly
   * indicate this with <> around the name. Put [] around the name for an optional argument.
   *
   * @example
   * program.argument('<input-file>');
   * program.argument('[output-file]');
   *
   * @param {string} name
   * @param {string} [description]
   * @param {(Function|*)} [parseArg] - custom argument processing function or default value
   * @param {*} [defaultValue]
   * @return {Command} `this` command for chaining
   */
  argument(name, description, parseArg, defaultValue) {
    const argument = this.createArgument(name, description);
    if (typeof parseArg === "function") {
      argument.default(defaultValue).argParser(parseArg);
    } else {
      argument.default(parseArg);
    }
    this.addArgument(argument);
    return this;
  }
  /**
   * Define argument syntax for command, adding multiple at once (without descriptions).
   *
   * See also .argument().
   *
   * @example
   * program.arguments('<cmd> [env]');
   *
   * @param {string} names
   * @return {Command} `this` command for chaining
   */
  arguments(names) {
    names.trim().split(/ +/).forEach((detail) => {
      this.argument(detail);
    });
    return this;
  }
  /**
   * Define argument syntax for command, adding a prepared argument.
   *
   * @param {Argument} argument
   * @return {Command} `this` command for chaining
   */
  addArgument(argument) {
    const previousArgument = this.registeredArguments.slice(-1)[0];
    if (previousArgument?.variadic) {
      throw new Error(
        `only the last argument can be variadic '${previousArgument.name()}'`
      );
    }
    if (argument.required && argument.defaultValue !== void 0 && argument.parseArg === void 0) {
      throw new Error(
        `a default value for a required argument is never used: '${argument.name()}'`
      );
    }
    this.registeredArguments.push(argument);
    return this;
  }
  /**
   * Customise or override default help command. By default a help command is automatically added if your command has subcommands.
   *
   * @example
   *    program.helpCommand('help [cmd]');
   *    program.helpCommand('help [cmd]', 'show help');
   *    program.helpCommand(false); // suppress default help command
   *    program.helpCommand(true); // add help command even if no subcommands
   *
   * @param {string|boolean} enableOrNameAndArgs - enable with custom name and/or arguments, or boolean to override whether added
   * @param {string} [description] - custom description
   * @return {Command} `this` command for chaining
   */
  helpCommand(enableOrNameAndArgs, description) {
    if (typeof enableOrNameAndArgs === "boolean") {
      this._addImplicitHelpCommand = enableOrNameAndArgs;
      if (enableOrNameAndArgs && this._defaultCommandGroup) {
        this._initCommandGroup(this._getHelpCommand());
      }
      return this;
    }
    const nameAndArgs = enableOrNameAndArgs ?? "help [command]";
    const [, helpName, helpArgs] = nameAndArgs.match(/([^ ]+) *(.*)/);
    const helpDescription = description ?? "display help for command";
    const helpCommand = this.createCommand(helpName);
    helpCommand.helpOption(false);
    if (helpArgs) helpCommand.arguments(helpArgs);
    if (helpDescription) helpCommand.description(helpDescription);
    this._addImplicitHelpCommand = true;
    this._helpCommand = helpCommand;
    if (enableOrNameAndArgs || description) this._initCommandGroup(helpCommand);
    return this;
  }
  /**
   * Add prepared custom help command.
   *
   * @param {(Command|string|boolean)} helpCommand - custom help command, or deprecated enableOrNameAndArgs as for `.helpCommand()`
   * @param {string} [deprecatedDescription] - deprecated custom description used with custom name only
   * @return {Command} `this` command for chaining
   */
  addHelpCommand(helpCommand, deprecatedDescription) {
    if (typeof helpCommand !== "object") {
      this.helpCommand(helpCommand, deprecatedDescription);
      return this;
    }
    this._addImplicitHelpCommand = true;
    this._helpCommand = helpCommand;
    this._initCommandGroup(helpCommand);
    return this;
  }
  /**
   * Lazy create help command.
   *
   * @return {(Command|null)}
   * @package
   */
  _getHelpCommand() {
    const hasImplicitHelpCommand = this._addImplicitHelpCommand ?? (this.commands.length && !this._actionHandler && !this._findCommand("help"));
    if (hasImplicitHelpCommand) {
      if (this._helpCommand === void 0) {
        this.helpCommand(void 0, void 0);
      }
      return this._helpCommand;
    }
    return null;
  }
  /**
   * Add hook for life cycle event.
   *
   * @param {string} event
   * @param {Function} listener
   * @return {Command} `this` command for chaining
   */
  hook(event, listener) {
    const allowedValues = ["preSubcommand", "preAction", "postAction"];
    if (!allowedValues.includes(event)) {
      throw new Error(`Unexpected value for event passed to hook : '${event}'.
Expecting one of '${allowedValues.join("', '")}'`);
    }
    if (this._lifeCycleHooks[event]) {
      this._lifeCycleHooks[event].push(listener);
    } else {
      this._lifeCycleHooks[event] = [listener];
    }
    return this;
  }
  /**
   * Register callback to use as replacement for calling process.exit.
   *
   * @param {Function} [fn] optional callback which will be passed a CommanderError, defaults to throwing
   * @return {Command} `this` command for chaining
   */
  exitOverride(fn) {
    if (fn) {
      this._exitCallback = fn;
    } else {
      this._exitCallback = (err) => {
        if (err.code !== "commander.executeSubCommandAsync") {
          throw err;
        } else {
        }
      };
    }
    return this;
  }
  /**
   * Call process.exit, and _exitCallback if defined.
   *
   * @param {number} exitCode exit code for using with process.exit
   * @param {string} code an id string representing the error
   * @param {string} message human-readable description of the error
   * @return never
   * @private
   */
  _exit(exitCode, code, message) {
    if (this._exitCallback) {
      this._exitCallback(new CommanderError(exitCode, code, message));
    }
    process2.exit(exitCode);
  }
  /**
   * Register callback `fn` for the command.
   *
   * @example
   * program
   *   .command('serve')
   *   .description('start service')
   *   .action(function() {
   *      // do work here
   *   });
   *
   * @param {Function} fn
   * @return {Command} `this` command for chaining
   */
  action(fn) {
    const listener = (args) => {
      const expectedArgsCount = this.registeredArguments.length;
      const actionArgs = args.slice(0, expectedArgsCount);
      if (this._storeOptionsAsProperties) {
        actionArgs[expectedArgsCount] = this;
      } else {
        actionArgs[expectedArgsCount] = this.opts();
      }
      actionArgs.push(this);
      return fn.apply(this, actionArgs);
    };
    this._actionHandler = listener;
    return this;
  }
  /**
   * Factory routine to create a new unattached option.
   *
   * See .option() for creating an attached option, which uses this routine to
   * create the option. You can override createOption to return a custom option.
   *
   * @param {string} flags
   * @param {string} [description]
   * @return {Option} new option
   */
  createOption(flags, description) {
    return new Option(flags, description);
  }
  /**
   * Wrap parseArgs to catch 'commander.invalidArgument'.
   *
   * @param {(Option | Argument)} target
   * @param {string} value
   * @param {*} previous
   * @param {string} invalidArgumentMessage
   * @private
   */
  _callParseArg(target, value, previous, invalidArgumentMessage) {
    try {
      return target.parseArg(value, previous);
    } catch (err) {
      if (err.code === "commander.invalidArgument") {
        const message = `${invalidArgumentMessage} ${err.message}`;
        this.error(message, { exitCode: err.exitCode, code: err.code });
      }
      throw err;
    }
  }
  /**
   * Check for option flag conflicts.
   * Register option if no conflicts found, or throw on conflict.
   *
   * @param {Option} option
   * @private
   */
  _registerOption(option) {
    const matchingOption = option.short && this._findOption(option.short) || option.long && this._findOption(option.long);
    if (matchingOption) {
      const matchingFlag = option.long && this._findOption(option.long) ? option.long : option.short;
      throw new Error(`Cannot add option '${option.flags}'${this._name && ` to command '${this._name}'`} due to conflicting flag '${matchingFlag}'
-  already used by option '${matchingOption.flags}'`);
    }
    this._initOptionGroup(option);
    this.options.push(option);
  }
  /**
   * Check for command name and alias conflicts with existing commands.
   * Register command if no conflicts found, or throw on conflict.
   *
   * @param {Command} command
   * @private
   */
  _registerCommand(command) {
    const knownBy = (cmd) => {
      return [cmd.name()].concat(cmd.aliases());
    };
    const alreadyUsed = knownBy(command).find(
      (name) => this._findCommand(name)
    );
    if (alreadyUsed) {
      const existingCmd = knownBy(this._findCommand(alreadyUsed)).join("|");
      const newCmd = knownBy(command).join("|");
      throw new Error(
        `cannot add command '${newCmd}' as already have command '${existingCmd}'`
      );
    }
    this._initCommandGroup(command);
    this.commands.push(command);
  }
  /**
   * Add an option.
   *
   * @param {Option} option
   * @return {Command} `this` command for chaining
   */
  addOption(option) {
    this._registerOption(option);
    const oname = option.name();
    const name = option.attributeName();
    if (option.defaultValue !== void 0) {
      this.setOptionValueWithSource(name, option.defaultValue, "default");
    }
    const handleOptionValue = (val, invalidValueMessage, valueSource) => {
      if (val == null && option.presetArg !== void 0) {
        val = option.presetArg;
      }
      const oldValue = this.getOptionValue(name);
      if (val !== null && option.parseArg) {
        val = this._callParseArg(option, val, oldValue, invalidValueMessage);
      } else if (val !== null && option.variadic) {
        val = option._collectValue(val, oldValue);
      }
      if (val == null) {
        if (option.negate) {
          val = false;
        } else if (option.isBoolean() || option.optional) {
          val = true;
        } else {
          val = "";
        }
      }
      this.setOptionValueWithSource(name, val, valueSource);
    };
    this.on("option:" + oname, (val) => {
      const invalidValueMessage = `error: option '${option.flags}' argument '${val}' is invalid.`;
      handleOptionValue(val, invalidValueMessage, "cli");
    });
    if (option.envVar) {
      this.on("optionEnv:" + oname, (val) => {
        const invalidValueMessage = `error: option '${option.flags}' value '${val}' from env '${option.envVar}' is invalid.`;
        handleOptionValue(val, invalidValueMessage, "env");
      });
    }
    return this;
  }
  /**
   * Internal implementation shared by .option() and .requiredOption()
   *
   * @return {Command} `this` command for chaining
   * @private
   */
  _optionEx(config, flags, description, fn, defaultValue) {
    if (typeof flags === "object" && flags instanceof Option) {
      throw new Error(
        "To add an Option object use addOption() instead of option() or requiredOption()"
      );
    }
    const option = this.createOption(flags, description);
    option.makeOptionMandatory(!!config.mandatory);
    if (typeof fn === "function") {
      option.default(defaultValue).argParser(fn);
    } else if (fn instanceof RegExp) {
      const regex = fn;
      fn = (val, def) => {
        const m = regex.exec(val);
        return m ? m[0] : def;
      };
      option.default(defaultValue).argParser(fn);
    } else {
      option.default(fn);
    }
    return this.addOption(option);
  }
  /**
   * Define option with `flags`, `description`, and optional argument parsing function or `defaultValue` or both.
   *
   * The `flags` string contains the short and/or long flags, separated by comma, a pipe or space. A required
   * option-argument is indicated by `<>` and an optional option-argument by `[]`.
   *
   * See the README for more details, and see also addOption() and requiredOption().
   *
   * @example
   * program
   *     .option('-p, --pepper', 'add pepper')
   *     .option('--pt, --pizza-type <TYPE>', 'type of pizza') // required option-argument
   *     .option('-c, --cheese [CHEESE]', 'add extra cheese', 'mozzarella') // optional option-argument with default
   *     .option('-t, --tip <VALUE>', 'add tip to purchase cost', parseFloat) // custom parse function
   *
   * @param {string} flags
   * @param {string} [description]
   * @param {(Function|*)} [parseArg] - custom option processing function or default value
   * @param {*} [defaultValue]
   * @return {Command} `this` command for chaining
   */
  option(flags, description, parseArg, defaultValue) {
    return this._optionEx({}, flags, description, parseArg, defaultValue);
  }
  /**
   * Add a required option which must have a value after parsing. This usually means
   * the option must be specified on the command line. (Otherwise the same as .option().)
   *
   * The `flags` string contains the short and/or long flags, separated by comma, a pipe or space.
   *
   * @param {string} flags
   * @param {string} [description]
   * @param {(Function|*)} [parseArg] - custom option processing function or default value
   * @param {*} [defaultValue]
   * @return {Command} `this` command for chaining
   */
  requiredOption(flags, description, parseArg, defaultValue) {
    return this._optionEx(
      { mandatory: true },
      flags,
      description,
      parseArg,
      defaultValue
    );
  }
  /**
   * Alter parsing of short flags with optional values.
   *
   * @example
   * // for `.option('-f,--flag [value]'):
   * program.combineFlagAndOptionalValue(true);  // `-f80` is treated like `--flag=80`, this is the default behaviour
   * program.combineFlagAndOptionalValue(false) // `-fb` is treated like `-f -b`
   *
   * @param {boolean} [combine] - if `true` or omitted, an optional value can be specified directly after the flag.
   * @return {Command} `this` command for chaining
   */
  combineFlagAndOptionalValue(combine = true) {
    this._combineFlagAndOptionalValue = !!combine;
    return this;
  }
  /**
   * Allow unknown options on the command line.
   *
   * @param {boolean} [allowUnknown] - if `true` or omitted, no error will be thrown for unknown options.
   * @return {Command} `this` command for chaining
   */
  allowUnknownOption(allowUnknown = true) {
    this._allowUnknownOption = !!allowUnknown;
    return this;
  }
  /**
   * Allow excess command-arguments on the command line. Pass false to make excess arguments an error.
   *
   * @param {boolean} [allowExcess] - if `true` or omitted, no error will be thrown for excess arguments.
   * @return {Command} `this` command for chaining
   */
  allowExcessArguments(allowExcess = true) {
    this._allowExcessArguments = !!allowExcess;
    return this;
  }
  /**
   * Enable positional options. Positional means global options are specified before subcommands which lets
   * subcommands reuse the same option names, and also enables subcommands to turn on passThroughOptions.
   * The default behaviour is non-positional and global options may appear anywhere on the command line.
   *
   * @param {boolean} [positional]
   * @return {Command} `this` command for chaining
   */
  enablePositionalOptions(positional = true) {
    this._enablePositionalOptions = !!positional;
    return this;
  }
  /**
   * Pass through options that come after command-arguments rather than treat them as command-options,
   * so actual command-options come before command-arguments. Turning this on for a subcommand requires
   * positional options to have been enabled on the program (parent commands).
   * The default behaviour is non-positional and options may appear before or after command-arguments.
   *
   * @param {boolean} [passThrough] for unknown options.
   * @return {Command} `this` command for chaining
   */
  passThroughOptions(passThrough = true) {
    this._passThroughOptions = !!passThrough;
    this._checkForBrokenPassThrough();
    return this;
  }
  /**
   * @private
   */
  _checkForBrokenPassThrough() {
    if (this.parent && this._passThroughOptions && !this.parent._enablePositionalOptions) {
      throw new Error(
        `passThroughOptions cannot be used for '${this._name}' without turning on enablePositionalOptions for parent command(s)`
      );
    }
  }
  /**
   * Whether to store option values as properties on command object,
   * or store separately (specify false). In both cases the option values can be accessed using .opts().
   *
   * @param {boolean} [storeAsProperties=true]
   * @return {Command} `this` command for chaining
   */
  storeOptionsAsProperties(storeAsProperties = true) {
    if (this.options.length) {
      throw new Error("call .storeOptionsAsProperties() before adding options");
    }
    if (Object.keys(this._optionValues).length) {
      throw new Error(
        "call .storeOptionsAsProperties() before setting option values"
      );
    }
    this._storeOptionsAsProperties = !!storeAsProperties;
    return this;
  }
  /**
   * Retrieve option value.
   *
   * @param {string} key
   * @return {object} value
   */
  getOptionValue(key) {
    if (this._storeOptionsAsProperties) {
      return this[key];
    }
    return this._optionValues[key];
  }
  /**
   * Store option value.
   *
   * @param {string} key
   * @param {object} value
   * @return {Command} `this` command for chaining
   */
  setOptionValue(key, value) {
    return this.setOptionValueWithSource(key, value, void 0);
  }
  /**
   * Store option value and where the value came from.
   *
   * @param {string} key
   * @param {object} value
   * @param {string} source - expected values are default/config/env/cli/implied
   * @return {Command} `this` command for chaining
   */
  setOptionValueWithSource(key, value, source) {
    if (this._storeOptionsAsProperties) {
      this[key] = value;
    } else {
      this._optionValues[key] = value;
    }
    this._optionValueSources[key] = source;
    return this;
  }
  /**
   * Get source of option value.
   * Expected values are default | config | env | cli | implied
   *
   * @param {string} key
   * @return {string}
   */
  getOptionValueSource(key) {
    return this._optionValueSources[key];
  }
  /**
   * Get source of option value. See also .optsWithGlobals().
   * Expected values are default | config | env | cli | implied
   *
   * @param {string} key
   * @return {string}
   */
  getOptionValueSourceWithGlobals(key) {
    let source;
    this._getCommandAndAncestors().forEach((cmd) => {
      if (Object.hasOwn(cmd._optionValueSources, key)) {
        source = cmd.getOptionValueSource(key);
      }
    });
    return source;
  }
  /**
   * Get user arguments from implied or explicit arguments.
   * Side-effects: set _scriptPath if args included script. Used for default program name, and subcommand searches.
   *
   * @private
   */
  _prepareUserArgs(argv, parseOptions) {
    if (argv !== void 0 && !Array.isArray(argv)) {
      throw new Error("first parameter to parse must be array or undefined");
    }
    parseOptions = parseOptions || {};
    if (argv === void 0 && parseOptions.from === void 0) {
      if (process2.versions?.electron) {
        parseOptions.from = "electron";
      }
      const execArgv = process2.execArgv ?? [];
      if (execArgv.includes("-e") || execArgv.includes("--eval") || execArgv.includes("-p") || execArgv.includes("--print")) {
        parseOptions.from = "eval";
      }
    }
    if (argv === void 0) {
      argv = process2.argv;
    }
    this.rawArgs = argv.slice();
    let userArgs;
    switch (parseOptions.from) {
      case void 0:
      case "node":
        this._scriptPath = argv[1];
        userArgs = argv.slice(2);
        break;
      case "electron":
        if (process2.defaultApp) {
          this._scriptPath = argv[1];
          userArgs = argv.slice(2);
        } else {
          userArgs = argv.slice(1);
        }
        break;
      case "user":
        userArgs = argv.slice(0);
        break;
      case "eval":
        userArgs = argv.slice(1);
        break;
      default:
        throw new Error(
          `unexpected parse option { from: '${parseOptions.from}' }`
        );
    }
    if (!this._name && this._scriptPath)
      this.nameFromFilename(this._scriptPath);
    this._name = this._name || "program";
    return userArgs;
  }
  /**
   * Parse `argv`, setting options and invoking commands when defined.
   *
   * Use parseAsync instead of parse if any of your action handlers are async.
   *
   * Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
   *
   * Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
   * - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
   * - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
   * - `'user'`: just user arguments
   *
   * @example
   * program.parse(); // parse process.argv and auto-detect electron and special node flags
   * program.parse(process.argv); // assume argv[0] is app and argv[1] is script
   * program.parse(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
   *
   * @param {string[]} [argv] - optional, defaults to process.argv
   * @param {object} [parseOptions] - optionally specify style of options with from: node/user/electron
   * @param {string} [parseOptions.from] - where the args are from: 'node', 'user', 'electron'
   * @return {Command} `this` command for chaining
   */
  parse(argv, parseOptions) {
    this._prepareForParse();
    const userArgs = this._prepareUserArgs(argv, parseOptions);
    this._parseCommand([], userArgs);
    return this;
  }
  /**
   * Parse `argv`, setting options and invoking commands when defined.
   *
   * Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
   *
   * Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
   * - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
   * - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
   * - `'user'`: just user arguments
   *
   * @example
   * await program.parseAsync(); // parse process.argv and auto-detect electron and special node flags
   * await program.parseAsync(process.argv); // assume argv[0] is app and argv[1] is script
   * await program.parseAsync(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
   *
   * @param {string[]} [argv]
   * @param {object} [parseOptions]
   * @param {string} parseOptions.from - where the args are from: 'node', 'user', 'electron'
   * @return {Promise}
   */
  async parseAsync(argv, parseOptions) {
    this._prepareForParse();
    const userArgs = this._prepareUserArgs(argv, parseOptions);
    await this._parseCommand([], userArgs);
    return this;
  }
  _prepareForParse() {
    if (this._savedState === null) {
      this.options.filter(
        (option) => option.negate && option.defaultValue === void 0 && this.getOptionValue(option.attributeName()) === void 0
      ).forEach((option) => {
        const positiveLongFlag = option.long.replace(/^--no-/, "--");
        if (!this._findOption(positiveLongFlag)) {
          this.setOptionValueWithSource(
            option.attributeName(),
            true,
            "default"
          );
        }
      });
      this.saveStateBeforeParse();
    } else {
      this.restoreStateBeforeParse();
    }
  }
  /**
   * Called the first time parse is called to save state and allow a restore before subsequent calls to parse.
   * Not usually called directly, but available for subclasses to save their custom state.
   *
   * This is called in a lazy way. Only commands used in parsing chain will have state saved.
   */
  saveStateBeforeParse() {
    this._savedState = {
      // name is stable if supplied by author, but may be unspecified for root command and deduced during parsing
      _name: this._name,
      // option values before parse have default values (including false for negated options)
      // shallow clones
      _optionValues: { ...this._optionValues },
      _optionValueSources: { ...this._optionValueSources }
    };
  }
  /**
   * Restore state before parse for calls after the first.
   * Not usually called directly, but available for subclasses to save their custom state.
   *
   * This is called in a lazy way. Only commands used in parsing chain will have state restored.
   */
  restoreStateBeforeParse() {
    if (this._storeOptionsAsProperties)
      throw new Error(`Can not call parse again when storeOptionsAsProperties is true.
- either make a new Command for each call to parse, or stop storing options as properties`);
    this._name = this._savedState._name;
    this._scriptPath = null;
    this.rawArgs = [];
    this._optionValues = { ...this._savedState._optionValues };
    this._optionValueSources = { ...this._savedState._optionValueSources };
    this.args = [];
    this.processedArgs = [];
  }
  /**
   * Throw if expected executable is missing. Add lots of help for author.
   *
   * @param {string} executableFile
   * @param {string} executableDir
   * @param {string} subcommandName
   */
  _checkForMissingExecutable(executableFile, executableDir, subcommandName) {
    if (fs.existsSync(executableFile)) return;
    const executableDirMessage = executableDir ? `searched for local subcommand relative to directory '${executableDir}'` : "no directory for search for local subcommand, use .executableDir() to supply a custom directory";
    const executableMissing = `'${executableFile}' does not exist
 - if '${subcommandName}' is not meant to be an executable command, remove description parameter from '.command()' and use '.description()' instead
 - if the default executable name is not suitable, use the executableFile option to supply a custom name or path
 - ${executableDirMessage}`;
    throw new Error(executableMissing);
  }
  /**
   * Execute a sub-command executable.
   *
   * @private
   */
  _executeSubCommand(subcommand, args) {
    args = args.slice();
    const sourceExt = [".js", ".ts", ".tsx", ".mjs", ".cjs"];
    function findFile(baseDir, baseName) {
      const localBin = path.resolve(baseDir, baseName);
      if (fs.existsSync(localBin)) return localBin;
      if (sourceExt.includes(path.extname(baseName))) return void 0;
      const foundExt = sourceExt.find(
        (ext) => fs.existsSync(`${localBin}${ext}`)
      );
      if (foundExt) return `${localBin}${foundExt}`;
      return void 0;
    }
    this._checkForMissingMandatoryOptions();
    this._checkForConflictingOptions();
    let executableFile = subcommand._executableFile || `${this._name}-${subcommand._name}`;
    let executableDir = this._executableDir || "";
    if (this._scriptPath) {
      let resolvedScriptPath;
      try {
        resolvedScriptPath = fs.realpathSync(this._scriptPath);
      } catch {
        resolvedScriptPath = this._scriptPath;
      }
      executableDir = path.resolve(
        path.dirname(resolvedScriptPath),
        executableDir
      );
    }
    if (executableDir) {
      let localFile = findFile(executableDir, executableFile);
      if (!localFile && !subcommand._executableFile && this._scriptPath) {
        const legacyName = path.basename(
          this._scriptPath,
          path.extname(this._scriptPath)
        );
        if (legacyName !== this._name) {
          localFile = findFile(
            executableDir,
            `${legacyName}-${subcommand._name}`
          );
        }
      }
      executableFile = localFile || executableFile;
    }
    const launchWithNode = sourceExt.includes(path.extname(executableFile));
    let proc;
    if (process2.platform !== "win32") {
      if (launchWithNode) {
        args.unshift(executableFile);
        args = incrementNodeInspectorPort(process2.execArgv).concat(args);
        proc = childProcess.spawn(process2.argv[0], args, { stdio: "inherit" });
      } else {
        proc = childProcess.spawn(executableFile, args, { stdio: "inherit" });
      }
    } else {
      this._checkForMissingExecutable(
        executableFile,
        executableDir,
        subcommand._name
      );
      args.unshift(executableFile);
      args = incrementNodeInspectorPort(process2.execArgv).concat(args);
      proc = childProcess.spawn(process2.execPath, args, { stdio: "inherit" });
    }
    if (!proc.killed) {
      const signals = ["SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGHUP"];
      signals.forEach((signal) => {
        process2.on(signal, () => {
          if (proc.killed === false && proc.exitCode === null) {
            proc.kill(signal);
          }
        });
      });
    }
    const exitCallback = this._exitCallback;
    proc.on("close", (code) => {
      code = code ?? 1;
      if (!exitCallback) {
        process2.exit(code);
      } else {
        exitCallback(
          new CommanderError(
            code,
            "commander.executeSubCommandAsync",
            "(close)"
          )
        );
      }
    });
    proc.on("error", (err) => {
      if (err.code === "ENOENT") {
        this._checkForMissingExecutable(
          executableFile,
          executableDir,
          subcommand._name
        );
      } else if (err.code === "EACCES") {
        throw new Error(`'${executableFile}' not executable`);
      }
      if (!exitCallback) {
        process2.exit(1);
      } else {
        const wrappedError = new CommanderError(
          1,
          "commander.executeSubCommandAsync",
          "(error)"
        );
        wrappedError.nestedError = err;
        exitCallback(wrappedError);
      }
    });
    this.runningCommand = proc;
  }
  /**
   * @private
   */
  _dispatchSubcommand(commandName, operands, unknown) {
    const subCommand = this._findCommand(commandName);
    if (!subCommand) this.help({ error: true });
    subCommand._prepareForParse();
    let promiseChain;
    promiseChain = this._chainOrCallSubCommandHook(
      promiseChain,
      subCommand,
      "preSubcommand"
    );
    promiseChain = this._chainOrCall(promiseChain, () => {
      if (subCommand._executableHandler) {
        this._executeSubCommand(subCommand, operands.concat(unknown));
      } else {
        return subCommand._parseCommand(operands, unknown);
      }
    });
    return promiseChain;
  }
  /**
   * Invoke help directly if possible, or dispatch if necessary.
   * e.g. help foo
   *
   * @private
   */
  _dispatchHelpCommand(subcommandName) {
    if (!subcommandName) {
      this.help();
    }
    const subCommand = this._findCommand(subcommandName);
    if (subCommand && !subCommand._executableHandler) {
      subCommand.help();
    }
    return this._dispatchSubcommand(
      subcommandName,
      [],
      [this._getHelpOption()?.long ?? this._getHelpOption()?.short ?? "--help"]
    );
  }
  /**
   * Check this.args against expected this.registeredArguments.
   *
   * @private
   */
  _checkNumberOfArguments() {
    this.registeredArguments.forEach((arg, i) => {
      if (arg.required && this.args[i] == null) {
        this.missingArgument(arg.name());
      }
    });
    if (this.registeredArguments.length > 0 && this.registeredArguments[this.registeredArguments.length - 1].variadic) {
      return;
    }
    if (this.args.length > this.registeredArguments.length) {
      this._excessArguments(this.args);
    }
  }
  /**
   * Process this.args using this.registeredArguments and save as this.processedArgs!
   *
   * @private
   */
  _processArguments() {
    const myParseArg = (argument, value, previous) => {
      let parsedValue = value;
      if (value !== null && argument.parseArg) {
        const invalidValueMessage = `error: command-argument value '${value}' is invalid for argument '${argument.name()}'.`;
        parsedValue = this._callParseArg(
          argument,
          value,
          previous,
          invalidValueMessage
        );
      }
      return parsedValue;
    };
    this._checkNumberOfArguments();
    const processedArgs = [];
    this.registeredArguments.forEach((declaredArg, index) => {
      let value = declaredArg.defaultValue;
      if (declaredArg.variadic) {
        if (index < this.args.length) {
          value = this.args.slice(index);
          if (declaredArg.parseArg) {
            value = value.reduce((processed, v) => {
              return myParseArg(declaredArg, v, processed);
            }, declaredArg.defaultValue);
          }
        } else if (value === void 0) {
          value = [];
        }
      } else if (index < this.args.length) {
        value = this.args[index];
        if (declaredArg.parseArg) {
          value = myParseArg(declaredArg, value, declaredArg.defaultValue);
        }
      }
      processedArgs[index] = value;
    });
    this.processedArgs = processedArgs;
  }
  /**
   * Once we have a promise we chain, but call synchronously until then.
   *
   * @param {(Promise|undefined)} promise
   * @param {Function} fn
   * @return {(Promise|undefined)}
   * @private
   */
  _chainOrCall(promise, fn) {
    if (promise?.then && typeof promise.then === "function") {
      return promise.then(() => fn());
    }
    return fn();
  }
  /**
   *
   * @param {(Promise|undefined)} promise
   * @param {string} event
   * @return {(Promise|undefined)}
   * @private
   */
  _chainOrCallHooks(promise, event) {
    let result = promise;
    const hooks = [];
    this._getCommandAndAncestors().reverse().filter((cmd) => cmd._lifeCycleHooks[event] !== void 0).forEach((hookedCommand) => {
      hookedCommand._lifeCycleHooks[event].forEach((callback) => {
        hooks.push({ hookedCommand, callback });
      });
    });
    if (event === "postAction") {
      hooks.reverse();
    }
    hooks.forEach((hookDetail) => {
      result = this._chainOrCall(result, () => {
        return hookDetail.callback(hookDetail.hookedCommand, this);
      });
    });
    return result;
  }
  /**
   *
   * @param {(Promise|undefined)} promise
   * @param {Command} subCommand
   * @param {string} event
   * @return {(Promise|undefined)}
   * @private
   */
  _chainOrCallSubCommandHook(promise, subCommand, event) {
    let result = promise;
    if (this._lifeCycleHooks[event] !== void 0) {
      this._lifeCycleHooks[event].forEach((hook) => {
        result = this._chainOrCall(result, () => {
          return hook(this, subCommand);
        });
      });
    }
    return result;
  }
  /**
   * Process arguments in context of this command.
   * Returns action result, in case it is a promise.
   *
   * @private
   */
  _parseCommand(operands, unknown) {
    const parsed = this.parseOptions(unknown);
    this._parseOptionsEnv();
    this._parseOptionsImplied();
    operands = operands.concat(parsed.operands);
    unknown = parsed.unknown;
    this.args = operands.concat(unknown);
    if (operands && this._findCommand(operands[0])) {
      return this._dispatchSubcommand(operands[0], operands.slice(1), unknown);
    }
    if (this._getHelpCommand() && operands[0] === this._getHelpCommand().name()) {
      return this._dispatchHelpCommand(operands[1]);
    }
    if (this._defaultCommandName) {
      this._outputHelpIfRequested(unknown);
      return this._dispatchSubcommand(
        this._defaultCommandName,
        operands,
        unknown
      );
    }
    if (this.commands.length && this.args.length === 0 && !this._actionHandler && !this._defaultCommandName) {
      this.help({ error: true });
    }
    this._outputHelpIfRequested(parsed.unknown);
    this._checkForMissingMandatoryOptions();
    this._checkForConflictingOptions();
    const checkForUnknownOptions = () => {
      if (parsed.unknown.length > 0) {
        this.unknownOption(parsed.unknown[0]);
      }
    };
    const commandEvent = `command:${this.name()}`;
    if (this._actionHandler) {
      checkForUnknownOptions();
      this._processArguments();
      let promiseChain;
      promiseChain = this._chainOrCallHooks(promiseChain, "preAction");
      promiseChain = this._chainOrCall(
        promiseChain,
        () => this._actionHandler(this.processedArgs)
      );
      if (this.parent) {
        promiseChain = this._chainOrCall(promiseChain, () => {
          this.parent.emit(commandEvent, operands, unknown);
        });
      }
      promiseChain = this._chainOrCallHooks(promiseChain, "postAction");
      return promiseChain;
    }
    if (this.parent?.listenerCount(commandEvent)) {
      checkForUnknownOptions();
      this._processArguments();
      this.parent.emit(commandEvent, operands, unknown);
    } else if (operands.length) {
      if (this._findCommand("*")) {
        return this._dispatchSubcommand("*", operands, unknown);
      }
      if (this.listenerCount("command:*")) {
        this.emit("command:*", operands, unknown);
      } else if (this.commands.length) {
        this.unknownCommand();
      } else {
        checkForUnknownOptions();
        this._processArguments();
      }
    } else if (this.commands.length) {
      checkForUnknownOptions();
      this.help({ error: true });
    } else {
      checkForUnknownOptions();
      this._processArguments();
    }
  }
  /**
   * Find matching command.
   *
   * @private
   * @return {Command | undefined}
   */
  _findCommand(name) {
    if (!name) return void 0;
    return this.commands.find(
      (cmd) => cmd._name === name || cmd._aliases.includes(name)
    );
  }
  /**
   * Return an option matching `arg` if any.
   *
   * @param {string} arg
   * @return {Option}
   * @package
   */
  _findOption(arg) {
    return this.options.find((option) => option.is(arg));
  }
  /**
   * Display an error message if a mandatory option does not have a value.
   * Called after checking for help flags in leaf subcommand.
   *
   * @private
   */
  _checkForMissingMandatoryOptions() {
    this._getCommandAndAncestors().forEach((cmd) => {
      cmd.options.forEach((anOption) => {
        if (anOption.mandatory && cmd.getOptionValue(anOption.attributeName()) === void 0) {
          cmd.missingMandatoryOptionValue(anOption);
        }
      });
    });
  }
  /**
   * Display an error message if conflicting options are used together in this.
   *
   * @private
   */
  _checkForConflictingLocalOptions() {
    const definedNonDefaultOptions = this.options.filter((option) => {
      const optionKey = option.attributeName();
      if (this.getOptionValue(optionKey) === void 0) {
        return false;
      }
      return this.getOptionValueSource(optionKey) !== "default";
    });
    const optionsWithConflicting = definedNonDefaultOptions.filter(
      (option) => option.conflictsWith.length > 0
    );
    optionsWithConflicting.forEach((option) => {
      const conflictingAndDefined = definedNonDefaultOptions.find(
        (defined) => option.conflictsWith.includes(defined.attributeName())
      );
      if (conflictingAndDefined) {
        this._conflictingOption(option, conflictingAndDefined);
      }
    });
  }
  /**
   * Display an error message if conflicting options are used together.
   * Called after checking for help flags in leaf subcommand.
   *
   * @private
   */
  _checkForConflictingOptions() {
    this._getCommandAndAncestors().forEach((cmd) => {
      cmd._checkForConflictingLocalOptions();
    });
  }
  /**
   * Parse options from `argv` removing known options,
   * and return argv split into operands and unknown arguments.
   *
   * Side effects: modifies command by storing options. Does not reset state if called again.
   *
   * Examples:
   *
   *     argv => operands, unknown
   *     --known kkk op => [op], []
   *     op --known kkk => [op], []
   *     sub --unknown uuu op => [sub], [--unknown uuu op]
   *     sub -- --unknown uuu op => [sub --unknown uuu op], []
   *
   * @param {string[]} args
   * @return {{operands: string[], unknown: string[]}}
   */
  parseOptions(args) {
    const operands = [];
    const unknown = [];
    let dest = operands;
    function maybeOption(arg) {
      return arg.length > 1 && arg[0] === "-";
    }
    const negativeNumberArg = (arg) => {
      if (!/^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(arg)) return false;
      return !this._getCommandAndAncestors().some(
        (cmd) => cmd.options.map((opt) => opt.short).some((short) => /^-\d$/.test(short))
      );
    };
    let activeVariadicOption = null;
    let activeGroup = null;
    let i = 0;
    while (i < args.length || activeGroup) {
      const arg = activeGroup ?? args[i++];
      activeGroup = null;
      if (arg === "--") {
        if (dest === unknown) dest.push(arg);
        dest.push(...args.slice(i));
        break;
      }
      if (activeVariadicOption && (!maybeOption(arg) || negativeNumberArg(arg))) {
        this.emit(`option:${activeVariadicOption.name()}`, arg);
        continue;
      }
      activeVariadicOption = null;
      if (maybeOption(arg)) {
        const option = this._findOption(arg);
        if (option) {
          if (option.required) {
            const value = args[i++];
            if (value === void 0) this.optionMissingArgument(option);
            this.emit(`option:${option.name()}`, value);
          } else if (option.optional) {
            let value = null;
            if (i < args.length && (!maybeOption(args[i]) || negativeNumberArg(args[i]))) {
              value = args[i++];
            }
            this.emit(`option:${option.name()}`, value);
          } else {
            this.emit(`option:${option.name()}`);
          }
          activeVariadicOption = option.variadic ? option : null;
          continue;
        }
      }
      if (arg.length > 2 && arg[0] === "-" && arg[1] !== "-") {
        const option = this._findOption(`-${arg[1]}`);
        if (option) {
          if (option.required || option.optional && this._combineFlagAndOptionalValue) {
            this.emit(`option:${option.name()}`, arg.slice(2));
          } else {
            this.emit(`option:${option.name()}`);
            activeGroup = `-${arg.slice(2)}`;
          }
          continue;
        }
      }
      if (/^--[^=]+=/.test(arg)) {
        const index = arg.indexOf("=");
        const option = this._findOption(arg.slice(0, index));
        if (option && (option.required || option.optional)) {
          this.emit(`option:${option.name()}`, arg.slice(index + 1));
          continue;
        }
      }
      if (dest === operands && maybeOption(arg) && !(this.commands.length === 0 && negativeNumberArg(arg))) {
        dest = unknown;
      }
      if ((this._enablePositionalOptions || this._passThroughOptions) && operands.length === 0 && unknown.length === 0) {
        if (this._findCommand(arg)) {
          operands.push(arg);
          unknown.push(...args.slice(i));
          break;
        } else if (this._getHelpCommand() && arg === this._getHelpCommand().name()) {
          operands.push(arg, ...args.slice(i));
          break;
        } else if (this._defaultCommandName) {
          unknown.push(arg, ...args.slice(i));
          break;
        }
      }
      if (this._passThroughOptions) {
        dest.push(arg, ...args.slice(i));
        break;
      }
      dest.push(arg);
    }
    return { operands, unknown };
  }
  /**
   * Return an object containing local option values as key-value pairs.
   *
   * @return {object}
   */
  opts() {
    if (this._storeOptionsAsProperties) {
      const result = {};
      const len = this.options.length;
      for (let i = 0; i < len; i++) {
        const key = this.options[i].attributeName();
        result[key] = key === this._versionOptionName ? this._version : this[key];
      }
      return result;
    }
    return this._optionValues;
  }
  /**
   * Return an object containing merged local and global option values as key-value pairs.
   *
   * @return {object}
   */
  optsWithGlobals() {
    return this._getCommandAndAncestors().reduce(
      (combinedOptions, cmd) => Object.assign(combinedOptions, cmd.opts()),
      {}
    );
  }
  /**
   * Display error message and exit (or call exitOverride).
   *
   * @param {string} message
   * @param {object} [errorOptions]
   * @param {string} [errorOptions.code] - an id string representing the error
   * @param {number} [errorOptions.exitCode] - used with process.exit
   */
  error(message, errorOptions) {
    this._outputConfiguration.outputError(
      `${message}
`,
      this._outputConfiguration.writeErr
    );
    if (typeof this._showHelpAfterError === "string") {
      this._outputConfiguration.writeErr(`${this._showHelpAfterError}
`);
    } else if (this._showHelpAfterError) {
      this._outputConfiguration.writeErr("\n");
      this.outputHelp({ error: true });
    }
    const config = errorOptions || {};
    const exitCode = config.exitCode || 1;
    const code = config.code || "commander.error";
    this._exit(exitCode, code, message);
  }
  /**
   * Apply any option related environment variables, if option does
   * not have a value from cli or client code.
   *
   * @private
   */
  _parseOptionsEnv() {
    this.options.forEach((option) => {
      if (option.envVar && option.envVar in process2.env) {
        const optionKey = option.attributeName();
        if (this.getOptionValue(optionKey) === void 0 || ["default", "config", "env"].includes(
          this.getOptionValueSource(optionKey)
        )) {
          if (option.required || option.optional) {
            this.emit(`optionEnv:${option.name()}`, process2.env[option.envVar]);
          } else {
            this.emit(`optionEnv:${option.name()}`);
          }
        }
      }
    });
  }
  /**
   * Apply any implied option values, if option is undefined or default value.
   *
   * @private
   */
  _parseOptionsImplied() {
    const dualHelper = new DualOptions(this.options);
    const hasCustomOptionValue = (optionKey) => {
      return this.getOptionValue(optionKey) !== void 0 && !["default", "implied"].includes(this.getOptionValueSource(optionKey));
    };
    this.options.filter(
      (option) => option.implied !== void 0 && hasCustomOptionValue(option.attributeName()) && dualHelper.valueFromOption(
        this.getOptionValue(option.attributeName()),
        option
      )
    ).forEach((option) => {
      Object.keys(option.implied).filter((impliedKey) => !hasCustomOptionValue(impliedKey)).forEach((impliedKey) => {
        this.setOptionValueWithSource(
          impliedKey,
          option.implied[impliedKey],
          "implied"
        );
      });
    });
  }
  /**
   * Argument `name` is missing.
   *
   * @param {string} name
   * @private
   */
  missingArgument(name) {
    const message = `error: missing required argument '${name}'`;
    this.error(message, { code: "commander.missingArgument" });
  }
  /**
   * `Option` is missing an argument.
   *
   * @param {Option} option
   * @private
   */
  optionMissingArgument(option) {
    const message = `error: option '${option.flags}' argument missing`;
    this.error(message, { code: "commander.optionMissingArgument" });
  }
  /**
   * `Option` does not have a value, and is a mandatory option.
   *
   * @param {Option} option
   * @private
   */
  missingMandatoryOptionValue(option) {
    const message = `error: required option '${option.flags}' not specified`;
    this.error(message, { code: "commander.missingMandatoryOptionValue" });
  }
  /**
   * `Option` conflicts with another option.
   *
   * @param {Option} option
   * @param {Option} conflictingOption
   * @private
   */
  _conflictingOption(option, conflictingOption) {
    const findBestOptionFromValue = (option2) => {
      const optionKey = option2.attributeName();
      const optionValue = this.getOptionValue(optionKey);
      const negativeOption = this.options.find(
        (target) => target.negate && optionKey === target.attributeName()
      );
      const positiveOption = this.options.find(
        (target) => !target.negate && optionKey === target.attributeName()
      );
      if (negativeOption && (negativeOption.presetArg === void 0 && optionValue === false || negativeOption.presetArg !== void 0 && optionValue === negativeOption.presetArg)) {
        return negativeOption;
      }
      return positiveOption || option2;
    };
    const getErrorMessage = (option2) => {
      const bestOption = findBestOptionFromValue(option2);
      const optionKey = bestOption.attributeName();
      const source = this.getOptionValueSource(optionKey);
      if (source === "env") {
        return `environment variable '${bestOption.envVar}'`;
      }
      return `option '${bestOption.flags}'`;
    };
    const message = `error: ${getErrorMessage(option)} cannot be used with ${getErrorMessage(conflictingOption)}`;
    this.error(message, { code: "commander.conflictingOption" });
  }
  /**
   * Unknown option `flag`.
   *
   * @param {string} flag
   * @private
   */
  unknownOption(flag) {
    if (this._allowUnknownOption) return;
    let suggestion = "";
    if (flag.startsWith("--") && this._showSuggestionAfterError) {
      let candidateFlags = [];
      let command = this;
      do {
        const moreFlags = command.createHelp().visibleOptions(command).filter((option) => option.long).map((option) => option.long);
        candidateFlags = candidateFlags.concat(moreFlags);
        command = command.parent;
      } while (command && !command._enablePositionalOptions);
      suggestion = suggestSimilar(flag, candidateFlags);
    }
    const message = `error: unknown option '${flag}'${suggestion}`;
    this.error(message, { code: "commander.unknownOption" });
  }
  /**
   * Excess arguments, more than expected.
   *
   * @param {string[]} receivedArgs
   * @private
   */
  _excessArguments(receivedArgs) {
    if (this._allowExcessArguments) return;
    const expected = this.registeredArguments.length;
    const s = expected === 1 ? "" : "s";
    const received = receivedArgs.length;
    const forSubcommand = this.parent ? ` for '${this.name()}'` : "";
    const details = receivedArgs.join(", ");
    const message = `error: too many arguments${forSubcommand}. Expected ${expected} argument${s} but got ${received}: ${details}.`;
    this.error(message, { code: "commander.excessArguments" });
  }
  /**
   * Unknown command.
   *
   * @private
   */
  unknownCommand() {
    const unknownName = this.args[0];
    let suggestion = "";
    if (this._showSuggestionAfterError) {
      const candidateNames = [];
      this.createHelp().visibleCommands(this).forEach((command) => {
        candidateNames.push(command.name());
        if (command.alias()) candidateNames.push(command.alias());
      });
      suggestion = suggestSimilar(unknownName, candidateNames);
    }
    const message = `error: unknown command '${unknownName}'${suggestion}`;
    this.error(message, { code: "commander.unknownCommand" });
  }
  /**
   * Get or set the program version.
   *
   * This method auto-registers the "-V, --version" option which will print the version number.
   *
   * You can optionally supply the flags and description to override the defaults.
   *
   * @param {string} [str]
   * @param {string} [flags]
   * @param {string} [description]
   * @return {(this | string | undefined)} `this` command for chaining, or version string if no arguments
   */
  version(str, flags, description) {
    if (str === void 0) return this._version;
    this._version = str;
    flags = flags || "-V, --version";
    description = description || "output the version number";
    const versionOption = this.createOption(flags, description);
    this._versionOptionName = versionOption.attributeName();
    this._registerOption(versionOption);
    this.on("option:" + versionOption.name(), () => {
      this._outputConfiguration.writeOut(`${str}
`);
      this._exit(0, "commander.version", str);
    });
    return this;
  }
  /**
   * Set the description.
   *
   * @param {string} [str]
   * @param {object} [argsDescription]
   * @return {(string|Command)}
   */
  description(str, argsDescription) {
    if (str === void 0 && argsDescription === void 0)
      return this._description;
    this._description = str;
    if (argsDescription) {
      this._argsDescription = argsDescription;
    }
    return this;
  }
  /**
   * Set the summary. Used when listed as subcommand of parent.
   *
   * @param {string} [str]
   * @return {(string|Command)}
   */
  summary(str) {
    if (str === void 0) return this._summary;
    this._summary = str;
    return this;
  }
  /**
   * Set an alias for the command.
   *
   * You may call more than once to add multiple aliases. Only the first alias is shown in the auto-generated help.
   *
   * @param {string} [alias]
   * @return {(string|Command)}
   */
  alias(alias) {
    if (alias === void 0) return this._aliases[0];
    let command = this;
    if (this.commands.length !== 0 && this.commands[this.commands.length - 1]._executableHandler) {
      command = this.commands[this.commands.length - 1];
    }
    if (alias === command._name)
      throw new Error("Command alias can't be the same as its name");
    const matchingCommand = this.parent?._findCommand(alias);
    if (matchingCommand) {
      const existingCmd = [matchingCommand.name()].concat(matchingCommand.aliases()).join("|");
      throw new Error(
        `cannot add alias '${alias}' to command '${this.name()}' as already have command '${existingCmd}'`
      );
    }
    command._aliases.push(alias);
    return this;
  }
  /**
   * Set aliases for the command.
   *
   * Only the first alias is shown in the auto-generated help.
   *
   * @param {string[]} [aliases]
   * @return {(string[]|Command)}
   */
  aliases(aliases) {
    if (aliases === void 0) return this._aliases;
    aliases.forEach((alias) => this.alias(alias));
    return this;
  }
  /**
   * Set / get the command usage `str`.
   *
   * @param {string} [str]
   * @return {(string|Command)}
   */
  usage(str) {
    if (str === void 0) {
      if (this._usage) return this._usage;
      const args = this.registeredArguments.map((arg) => {
        return humanReadableArgName(arg);
      });
      return [].concat(
        this.options.length || this._helpOption !== null ? "[options]" : [],
        this.commands.length ? "[command]" : [],
        this.registeredArguments.length ? args : []
      ).join(" ");
    }
    this._usage = str;
    return this;
  }
  /**
   * Get or set the name of the command.
   *
   * @param {string} [str]
   * @return {(string|Command)}
   */
  name(str) {
    if (str === void 0) return this._name;
    this._name = str;
    return this;
  }
  /**
   * Set/get the help group heading for this subcommand in parent command's help.
   *
   * @param {string} [heading]
   * @return {Command | string}
   */
  helpGroup(heading) {
    if (heading === void 0) return this._helpGroupHeading ?? "";
    this._helpGroupHeading = heading;
    return this;
  }
  /**
   * Set/get the default help group heading for subcommands added to this command.
   * (This does not override a group set directly on the subcommand using .helpGroup().)
   *
   * @example
   * program.commandsGroup('Development Commands:');
   * program.command('watch')...
   * program.command('lint')...
   * ...
   *
   * @param {string} [heading]
   * @returns {Command | string}
   */
  commandsGroup(heading) {
    if (heading === void 0) return this._defaultCommandGroup ?? "";
    this._defaultCommandGroup = heading;
    return this;
  }
  /**
   * Set/get the default help group heading for options added to this command.
   * (This does not override a group set directly on the option using .helpGroup().)
   *
   * @example
   * program
   *   .optionsGroup('Development Options:')
   *   .option('-d, --debug', 'output extra debugging')
   *   .option('-p, --profile', 'output profiling information')
   *
   * @param {string} [heading]
   * @returns {Command | string}
   */
  optionsGroup(heading) {
    if (heading === void 0) return this._defaultOptionGroup ?? "";
    this._defaultOptionGroup = heading;
    return this;
  }
  /**
   * @param {Option} option
   * @private
   */
  _initOptionGroup(option) {
    if (this._defaultOptionGroup && !option.helpGroupHeading)
      option.helpGroup(this._defaultOptionGroup);
  }
  /**
   * @param {Command} cmd
   * @private
   */
  _initCommandGroup(cmd) {
    if (this._defaultCommandGroup && !cmd.helpGroup())
      cmd.helpGroup(this._defaultCommandGroup);
  }
  /**
   * Set the name of the command from script filename, such as process.argv[1],
   * or import.meta.filename.
   *
   * (Used internally and public although not documented in README.)
   *
   * @example
   * program.nameFromFilename(import.meta.filename);
   *
   * @param {string} filename
   * @return {Command}
   */
  nameFromFilename(filename) {
    this._name = path.basename(filename, path.extname(filename));
    return this;
  }
  /**
   * Get or set the directory for searching for executable subcommands of this command.
   *
   * @example
   * program.executableDir(import.meta.dirname);
   * // or
   * program.executableDir('subcommands');
   *
   * @param {string} [path]
   * @return {(string|null|Command)}
   */
  executableDir(path2) {
    if (path2 === void 0) return this._executableDir;
    this._executableDir = path2;
    return this;
  }
  /**
   * Return program help documentation.
   *
   * @param {{ error: boolean }} [contextOptions] - pass {error:true} to wrap for stderr instead of stdout
   * @return {string}
   */
  helpInformation(contextOptions) {
    const helper = this.createHelp();
    const context = this._getOutputContext(contextOptions);
    helper.prepareContext({
      error: context.error,
      helpWidth: context.helpWidth,
      outputHasColors: context.hasColors
    });
    const text2 = helper.formatHelp(this, helper);
    if (context.hasColors) return text2;
    return this._outputConfiguration.stripColor(text2);
  }
  /**
   * @typedef HelpContext
   * @type {object}
   * @property {boolean} error
   * @property {number} helpWidth
   * @property {boolean} hasColors
   * @property {function} write - includes stripColor if needed
   *
   * @returns {HelpContext}
   * @private
   */
  _getOutputContext(contextOptions) {
    contextOptions = contextOptions || {};
    const error = !!contextOptions.error;
    let baseWrite;
    let hasColors;
    let helpWidth;
    if (error) {
      baseWrite = (str) => this._outputConfiguration.writeErr(str);
      hasColors = this._outputConfiguration.getErrHasColors();
      helpWidth = this._outputConfiguration.getErrHelpWidth();
    } else {
      baseWrite = (str) => this._outputConfiguration.writeOut(str);
      hasColors = this._outputConfiguration.getOutHasColors();
      helpWidth = this._outputConfiguration.getOutHelpWidth();
    }
    const write = (str) => {
      if (!hasColors) str = this._outputConfiguration.stripColor(str);
      return baseWrite(str);
    };
    return { error, write, hasColors, helpWidth };
  }
  /**
   * Output help information for this command.
   *
   * Outputs built-in help, and custom text added using `.addHelpText()`.
   *
   * @param {{ error: boolean } | Function} [contextOptions] - pass {error:true} to write to stderr instead of stdout
   */
  outputHelp(contextOptions) {
    let deprecatedCallback;
    if (typeof contextOptions === "function") {
      deprecatedCallback = contextOptions;
      contextOptions = void 0;
    }
    const outputContext = this._getOutputContext(contextOptions);
    const eventContext = {
      error: outputContext.error,
      write: outputContext.write,
      command: this
    };
    this._getCommandAndAncestors().reverse().forEach((command) => command.emit("beforeAllHelp", eventContext));
    this.emit("beforeHelp", eventContext);
    let helpInformation = this.helpInformation({ error: outputContext.error });
    if (deprecatedCallback) {
      helpInformation = deprecatedCallback(helpInformation);
      if (typeof helpInformation !== "string" && !Buffer.isBuffer(helpInformation)) {
        throw new Error("outputHelp callback must return a string or a Buffer");
      }
    }
    outputContext.write(helpInformation);
    if (this._getHelpOption()?.long) {
      this.emit(this._getHelpOption().long);
    }
    this.emit("afterHelp", eventContext);
    this._getCommandAndAncestors().forEach(
      (command) => command.emit("afterAllHelp", eventContext)
    );
  }
  /**
   * You can pass in flags and a description to customise the built-in help option.
   * Pass in false to disable the built-in help option.
   *
   * @example
   * program.helpOption('-?, --help', 'show help'); // customise
   * program.helpOption(false); // disable
   *
   * @param {(string | boolean)} flags
   * @param {string} [description]
   * @return {Command} `this` command for chaining
   */
  helpOption(flags, description) {
    if (typeof flags === "boolean") {
      if (flags) {
        if (this._helpOption === null) this._helpOption = void 0;
        if (this._defaultOptionGroup) {
          this._initOptionGroup(this._getHelpOption());
        }
      } else {
        this._helpOption = null;
      }
      return this;
    }
    this._helpOption = this.createOption(
      flags ?? "-h, --help",
      description ?? "display help for command"
    );
    if (flags || description) this._initOptionGroup(this._helpOption);
    return this;
  }
  /**
   * Lazy create help option.
   * Returns null if has been disabled with .helpOption(false).
   *
   * @returns {(Option | null)} the help option
   * @package
   */
  _getHelpOption() {
    if (this._helpOption === void 0) {
      this.helpOption(void 0, void 0);
    }
    return this._helpOption;
  }
  /**
   * Supply your own option to use for the built-in help option.
   * This is an alternative to using helpOption() to customise the flags and description etc.
   *
   * @param {Option} option
   * @return {Command} `this` command for chaining
   */
  addHelpOption(option) {
    this._helpOption = option;
    this._initOptionGroup(option);
    return this;
  }
  /**
   * Output help information and exit.
   *
   * Outputs built-in help, and custom text added using `.addHelpText()`.
   *
   * @param {{ error: boolean }} [contextOptions] - pass {error:true} to write to stderr instead of stdout
   */
  help(contextOptions) {
    this.outputHelp(contextOptions);
    let exitCode = Number(process2.exitCode ?? 0);
    if (exitCode === 0 && contextOptions && typeof contextOptions !== "function" && contextOptions.error) {
      exitCode = 1;
    }
    this._exit(exitCode, "commander.help", "(outputHelp)");
  }
  /**
   * // Do a little typing to coordinate emit and listener for the help text events.
   * @typedef HelpTextEventContext
   * @type {object}
   * @property {boolean} error
   * @property {Command} command
   * @property {function} write
   */
  /**
   * Add additional text to be displayed with the built-in help.
   *
   * Position is 'before' or 'after' to affect just this command,
   * and 'beforeAll' or 'afterAll' to affect this command and all its subcommands.
   *
   * @param {string} position - before or after built-in help
   * @param {(string | Function)} text - string to add, or a function returning a string
   * @return {Command} `this` command for chaining
   */
  addHelpText(position, text2) {
    const allowedValues = ["beforeAll", "before", "after", "afterAll"];
    if (!allowedValues.includes(position)) {
      throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);
    }
    const helpEvent = `${position}Help`;
    this.on(helpEvent, (context) => {
      let helpStr;
      if (typeof text2 === "function") {
        helpStr = text2({ error: context.error, command: context.command });
      } else {
        helpStr = text2;
      }
      if (helpStr) {
        context.write(`${helpStr}
`);
      }
    });
    return this;
  }
  /**
   * Output help information if help flags specified
   *
   * @param {Array} args - array of options to search for help flags
   * @private
   */
  _outputHelpIfRequested(args) {
    const helpOption = this._getHelpOption();
    const helpRequested = helpOption && args.find((arg) => helpOption.is(arg));
    if (helpRequested) {
      this.outputHelp();
      this._exit(0, "commander.helpDisplayed", "(outputHelp)");
    }
  }
};
function incrementNodeInspectorPort(args) {
  return args.map((arg) => {
    if (!arg.startsWith("--inspect")) {
      return arg;
    }
    let debugOption;
    let debugHost = "127.0.0.1";
    let debugPort = "9229";
    let match;
    if ((match = arg.match(/^(--inspect(-brk|-wait)?)$/)) !== null) {
      debugOption = match[1];
    } else if ((match = arg.match(
      /^(--inspect(-brk|-port|-wait)?)=(\[[^\]]+\]|[^:]+)$/
    )) !== null) {
      debugOption = match[1];
      if (/^\d+$/.test(match[3])) {
        debugPort = match[3];
      } else {
        debugHost = match[3];
      }
    } else if ((match = arg.match(
      /^(--inspect(-brk|-port|-wait)?)=(\[[^\]]+\]|[^:]+):(\d+)$/
    )) !== null) {
      debugOption = match[1];
      debugHost = match[3];
      debugPort = match[4];
    }
    if (debugOption && debugPort !== "0") {
      return `${debugOption}=${debugHost}:${parseInt(debugPort) + 1}`;
    }
    return arg;
  });
}
function useColor() {
  if (process2.env.NO_COLOR || process2.env.FORCE_COLOR === "0" || process2.env.FORCE_COLOR === "false")
    return false;
  if (process2.env.FORCE_COLOR || process2.env.CLICOLOR_FORCE !== void 0)
    return true;
  return void 0;
}

// node_modules/commander/index.js
var program = new Command();

// hostd/cli/commands/completion.ts
function addCompletionCommand(program2) {
  program2.command("completion <shell>").description("print a completion script for bash or zsh: source <(offshoot completion bash)").action((shell) => {
    if (shell !== "bash" && shell !== "zsh") {
      throw new OffshootError("usage", { message: `There is no completion for ${shell}.`, hint: "Use bash or zsh." });
    }
    process.stdout.write(completionScript(program2, shell));
  });
}
function completionScript(program2, shell) {
  const commands = walk(program2, "");
  const values = walkValues(program2, "");
  const paths = commands.map(({ path: path2 }) => `'${path2}'`).filter((path2) => path2 !== "''");
  const body = `_offshoot() {
  local path='' words='' next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] && return
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${paths.join(" | ")}) path=$next ;; esac
  done
  case "$path" in
${commands.map(({ path: path2, words }) => `    '${path2}') words='${words.join(" ")}' ;;`).join("\n")}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.map(({ option, words }) => `    '${option}') words='${words.join(" ")}' ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _offshoot offshoot
`;
  return shell === "bash" ? body : `autoload -U +X bashcompinit && bashcompinit
${body}`;
}
function walkValues(command, path2) {
  const own = command.options.flatMap(
    ({ short, long, argChoices }) => argChoices === void 0 ? [] : [short, long].flatMap((flag) => flag === void 0 ? [] : [{ option: `${path2} ${flag}`, words: argChoices }])
  );
  return [...own, ...command.commands.flatMap((child) => walkValues(child, `${path2} ${child.name()}`.trim()))];
}
function walk(command, path2) {
  const words = [
    ...command.commands.map((child) => child.name()),
    ...command.options.flatMap((option) => [option.short, option.long].filter((flag) => flag != null)),
    "--help"
  ];
  return [{ path: path2, words }, ...command.commands.flatMap((child) => walk(child, `${path2} ${child.name()}`.trim()))];
}

// hostd/cli/commands/doctor.ts
function addDoctorCommand(program2) {
  program2.command("doctor").description("what this host can do, and what is missing, with the command that mends it").option("--json", "print machine-readable JSON").option("--state <folder>", "the state directory to look at (default: /var/lib/offshoot)").option("--config <file>", "the configuration file to look at").action(async (options) => {
    const { loadConfig } = await import("./chunk-V7AGEV3R.mjs");
    const { runDoctor } = await import("./chunk-HUFYWNFF.mjs");
    const report = await runDoctor(await loadConfig(options));
    if (options.json === true) printJson(report);
    else {
      const rows = report.checks.map((check) => [check.result, check.name, check.found]);
      process.stdout.write(table(["", "CHECK", "FOUND"], rows));
      for (const check of report.checks) {
        if (check.mend !== void 0) process.stdout.write(`
${check.name}: ${check.mend}
`);
      }
    }
    process.exitCode = report.ok ? 0 : 1;
  });
}

// hostd/cli/common.ts
function clientCommand(parent, usage, description) {
  return parent.command(usage).description(description).option("--json", "print machine-readable JSON").option(
    "--host <address>",
    "the hostd to talk to: unix:PATH or tcp:HOST:PORT (default: $OFFSHOOT_HOST, else unix:/run/offshoot/hostd.sock)"
  ).option("--token <token>", "its token (default: $OFFSHOOT_TOKEN)");
}
function connectionOf(options) {
  return {
    ...options.host === void 0 ? {} : { host: options.host },
    ...options.token === void 0 ? {} : { token: options.token }
  };
}
function wholeNumber(least) {
  return (text2) => {
    const value = Number(text2);
    if (!/^\d+$/.test(text2) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`must be a whole number of at least ${String(least)}`);
    }
    return value;
  };
}
function keyValue(text2, previous = {}) {
  const at = text2.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("must be NAME=VALUE");
  return { ...previous, [text2.slice(0, at)]: text2.slice(at + 1) };
}
function envEntry(text2, previous = {}) {
  if (text2.includes("=")) return keyValue(text2, previous);
  const value = process.env[text2];
  return value === void 0 ? previous : { ...previous, [text2]: value };
}
function repeated(text2, previous = []) {
  return [...previous, text2];
}
function commaSeparated(text2, previous = []) {
  return [...previous, ...text2.split(",").filter((part) => part !== "")];
}

// hostd/cli/commands/events.ts
function addEventsCommand(program2) {
  clientCommand(program2, "events", "print what happened on the host").option("-f, --follow", "wait for more").option("--sandbox <id>", "only this sandbox's").option("--after <id>", "only events after this one", wholeNumber(0)).action(async (options) => {
    var _stack = [];
    try {
      const host = __using(_stack, new HostClient(connectionOf(options)), true);
      const leaving = new AbortController();
      process.once("SIGINT", () => {
        leaving.abort();
      });
      const events = host.events({
        follow: options.follow === true,
        signal: leaving.signal,
        ...options.sandbox === void 0 ? {} : { sandboxId: options.sandbox },
        ...options.after === void 0 ? {} : { afterId: options.after }
      });
      for await (const event of events) {
        if (options.json === true) printJsonLine(event);
        else {
          const about = [event.sandboxId, event.execId].filter((id) => id !== void 0).join(" ");
          const data = Object.keys(event.data).length === 0 ? "" : JSON.stringify(event.data);
          process.stdout.write(`${[event.at, event.type.padEnd(16), about, data].join("  ").trimEnd()}
`);
        }
      }
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  });
}

// hostd/cli/commands/hostd.ts
function addHostdCommand(program2) {
  program2.command("hostd").description("run the host daemon in the foreground").option("--state <folder>", "where it keeps everything (default: /var/lib/offshoot)").option("--listen <address>", "unix:PATH or tcp:HOST:PORT (default: unix:/run/offshoot/hostd.sock)").option("--config <file>", "a JSON file with further settings").option("--require-kvm", "refuse to run sandboxes under software emulation").action(async (options) => {
    const { runDaemon } = await import("./chunk-EBRVJW42.mjs");
    process.exitCode = await runDaemon(options);
  });
}

// hostd/cli/commands/image.ts
import { readFile } from "node:fs/promises";
function addImageCommands(program2) {
  const parent = program2.command("image").description("build and list images");
  addBuildCommand(parent);
  clientCommand(parent, "list", "list images").action(async (options) => {
    var _stack = [];
    try {
      const host = __using(_stack, new HostClient(connectionOf(options)), true);
      const images = await host.images.list();
      if (options.json === true) {
        printJson({ images });
        return;
      }
      const rows = images.map((image) => [
        image.name,
        image.suite,
        image.kernelVersion,
        `${image.storedMiB.toFixed(0)} MiB`,
        String(image.templates.length),
        shortDuration((Date.now() - Date.parse(image.createdAt)) / 1e3)
      ]);
      process.stdout.write(table(["NAME", "SUITE", "KERNEL", "STORED", "TEMPLATES", "AGE"], rows));
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  });
  clientCommand(parent, "inspect <name>", "show everything about an image").action(
    async (name, options) => {
      var _stack = [];
      try {
        const host = __using(_stack, new HostClient(connectionOf(options)), true);
        printJson(await host.images.get(name));
      } catch (_) {
        var _error = _, _hasError = true;
      } finally {
        var _promise = __callDispose(_stack, _error, _hasError);
        _promise && await _promise;
      }
    }
  );
  clientCommand(parent, "rm <name>", "remove an image and its templates").action(
    async (name, options) => {
      var _stack = [];
      try {
        const host = __using(_stack, new HostClient(connectionOf(options)), true);
        await host.images.remove(name);
        if (options.json === true) printJson({ removed: name });
      } catch (_) {
        var _error = _, _hasError = true;
      } finally {
        var _promise = __callDispose(_stack, _error, _hasError);
        _promise && await _promise;
      }
    }
  );
}
function addBuildCommand(parent) {
  clientCommand(parent, "build <name>", "build an image, or do nothing when it is up to date").option("--recipe <recipe>", 'what to build (default: the recipe of that name, else "default")').option("--from <suite>", "another suite of the distribution, for example bookworm").option("--include <package,...>", "further packages; may be repeated", commaSeparated).option("--ca-file <file>", "trust the certificates of this PEM file; may be repeated", repeated).option("--host-ca", "trust what this host trusts").option("--host-package-config", "use this host's pip, npm and apt configuration").option("--rebuild", "build even when nothing changed").action(async (name, options) => {
    var _stack = [];
    try {
      const host = __using(_stack, new HostClient(connectionOf(options)), true);
      const extraCaCertificates = await Promise.all((options.caFile ?? []).map(readPem));
      const image = await host.images.build(
        {
          name,
          extraCaCertificates,
          hostCaBundle: options.hostCa === true,
          hostPackageConfig: options.hostPackageConfig === true,
          rebuild: options.rebuild === true,
          ...options.recipe === void 0 ? {} : { recipe: options.recipe },
          ...options.from === void 0 ? {} : { from: options.from },
          ...options.include === void 0 ? {} : { include: options.include }
        },
        options.json === true ? (progress) => {
          printJsonLine({ progress });
        } : progressPrinter()
      );
      if (options.json === true) printJsonLine({ image });
      else process.stdout.write(`${image.name} ${image.digest}
`);
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  });
}
function progressPrinter(stream = process.stderr) {
  const startedMs = performance.now();
  let step = "";
  const clear = stream.isTTY ? "\r\x1B[K" : "";
  return (progress) => {
    const elapsed = shortDuration((performance.now() - startedMs) / 1e3).padStart(4);
    if (progress.step !== step) {
      step = progress.step;
      const current = Math.min(progress.done + 1, progress.total);
      stream.write(`${clear}[${String(current)}/${String(progress.total)}] ${elapsed}  ${step}
`);
    }
    if (progress.line !== void 0 && stream.isTTY) {
      stream.write(`${clear}       ${progress.line.slice(0, Math.max(20, (stream.columns || 80) - 8))}`);
    }
  };
}
async function readPem(file) {
  return readFile(file, "utf8").catch((error) => {
    throw new OffshootError("local-file-error", { message: `${file} can not be read.`, cause: error });
  });
}

// hostd/cli/egress-view.ts
var maxRows = 20;
function policyRows(policy, whole) {
  const { allow } = policy;
  const shown = allow.slice(0, maxRows);
  const left = allow.length - shown.length;
  return [
    ["egress", policySummary(policy)],
    ...shown.map((rule) => ["", printable(rule)]),
    ...left === 0 ? [] : [["", `and ${String(left)} more: ${whole}`]]
  ];
}
function describePolicy(id, policy) {
  const rules = policy.allow.map((rule) => `  ${printable(rule)}
`).join("");
  return `${id}: egress ${policySummary(policy)} (revision ${String(policy.revision)})
${rules}`;
}
function describeReport(id, report) {
  return [
    describePolicy(id, report.policy),
    allowedTable(report.allowed),
    deniedPart(report),
    listPart(report),
    closedPart(report)
  ].filter((part) => part !== "").join("\n");
}
function missingRules({ policy, suggestedAllow }) {
  const inForce = new Set(policy.allow);
  return suggestedAllow.filter((rule) => !inForce.has(rule));
}
function placeOf({ name, address }) {
  if (name === null) return printable(address ?? "-");
  return printable(address === null ? name : `${name} (${address})`);
}
function portOf({ port, transport }) {
  if (port === null) return transport === "icmp" || transport === "other" ? transport : "-";
  return transport === "tcp" ? String(port) : `${String(port)}/${transport}`;
}
function policySummary({ mode, allow }) {
  if (allow.length === 0) return mode === "enforce" ? "enforce, no rules: nothing is allowed" : mode;
  return `${mode}, ${allow.length === 1 ? "1 rule" : `${String(allow.length)} rules`}`;
}
function allowedTable(allowed) {
  if (allowed.length === 0) return "ALLOWED  nothing\n";
  const rows = allowed.map((entry) => [
    placeOf(entry),
    portOf(entry),
    String(entry.count),
    byteSize(entry.bytesIn),
    byteSize(entry.bytesOut),
    entry.firstAt,
    entry.lastAt
  ]);
  return table(["ALLOWED", "PORT", "COUNT", "IN", "OUT", "FIRST", "LAST"], rows);
}
function deniedPart({ policy, denied, deniedCount, omitted }) {
  if (denied.length === 0) return "DENIED  nothing\n";
  const left = omitted === 0 ? "" : `; ${String(omitted)} more places are not listed, there were too many`;
  const what = policy.mode === "audit" ? "enforce would deny" : "denied";
  const total = deniedCount === 0 ? "" : `${what} ${String(deniedCount)} times in all${left}
`;
  const head = ["DENIED", "PORT", "REASON", "COUNT", "IN", "OUT", "FIRST", "LAST", ""];
  return table(head, denied.map(deniedRow)) + total;
}
function deniedRow(entry) {
  const audit = entry.blocked ? "" : "let through (audit)";
  return [
    placeOf(entry),
    portOf(entry),
    entry.reason,
    String(entry.count),
    byteSize(entry.bytesIn),
    byteSize(entry.bytesOut),
    entry.firstAt,
    entry.lastAt,
    audit
  ];
}
function listPart(report) {
  if (missingRules(report).length === 0) return report.denied.length === 0 ? "" : "No further rule is suggested.\n";
  const list = report.suggestedAllow.map((rule) => `${printable(rule)}
`).join("");
  return `A list that allows it, to paste:

${list}`;
}
function closedPart(report) {
  const rules = openingRules(report);
  if (rules.length === 0) return "";
  const width = Math.max(...rules.map(({ rule }) => rule.length));
  const lines = rules.map(
    ({ rule, denial }) => `${printable(rule).padEnd(width)}  # ${denial.reason}: ${placeOf(denial)}
`
  );
  return `Closed in every mode; what of it is meant, these rules open:

${lines.join("")}`;
}

// hostd/cli/denial-notice.ts
var reportDeadlineMs = 2e3;
var shownPlaces = 3;
var shownRules = 5;
async function reportWithinDeadline(sandbox) {
  return sandbox.egressReport({ signal: AbortSignal.timeout(reportDeadlineMs) }).catch(() => void 0);
}
function denialNotice(id, report, options) {
  const passed = report.denied.filter(({ blocked }) => !blocked);
  const listed = options.egress === "audit" ? report.denied : report.denied.filter(({ blocked }) => blocked);
  const show = `offshoot sandbox firewall show ${id}`;
  const lines = [
    ...listedLines(listed, report, show),
    ...remedyLines(passed, listed, remedyFor(report, options, show))
  ];
  if (lines.length === 0) return "";
  return lines.map((line, index) => `${index === 0 ? `offshoot: egress ${report.policy.mode}: ` : "  "}${line}
`).join("");
}
function listedLines(listed, { policy }, show) {
  if (listed.length === 0) return [];
  const times = timesOf(listed.reduce((sum, { count }) => sum + count, 0));
  const places = listed.length === 1 ? "1 place" : `${String(listed.length)} places`;
  const left = listed.length - shownPlaces;
  return [
    `${places} ${policy.mode === "audit" ? "that no rule allows" : "not allowed"}, ${times}`,
    ...listed.slice(0, shownPlaces).map((entry) => {
      const times2 = `${timesOf(entry.count)}${entry.blocked ? "" : ", let through"}`;
      return `${denialWords(entry)}, ${times2}${meantPart(entry, policy.allow)}`;
    }),
    ...left > 0 ? [`and ${String(left)} more: ${show}`] : []
  ];
}
function denialWords(entry) {
  const place = placeOf(entry);
  const where = [...place === "-" ? [] : [place], ...portWords(portOf(entry))].join(", ");
  return `${where}: ${entry.reason}`;
}
function meantPart(entry, allow) {
  const rules = rulesThatOpen(entry, allow);
  return rules.length === 0 ? "" : `; if it is meant, a rule opens it: ${printable(rules.join(" "))}`;
}
function portWords(port) {
  if (port === "-") return [];
  return [/^\d/.test(port) ? `port ${port}` : port];
}
function remedyLines(passed, listed, remedy) {
  if (remedy === "") return [];
  if (passed.length === 0) return listed.length === 0 ? [] : [`to allow it: ${remedy}`];
  const hosts = new Set(passed.map(({ name, address }) => name ?? address)).size;
  const told = listed.some(({ blocked }) => !blocked);
  return [
    ...told ? [] : [`let through to ${hosts === 1 ? "1 host" : `${String(hosts)} hosts`} that no rule names`],
    `to allow only what was let through: ${remedy}`
  ];
}
function remedyFor(report, options, show) {
  const missing = missingRules(report);
  if (missing.length === 0) return "";
  const listed = options.allow !== void 0 || options.allowFrom !== void 0;
  const rules = listed ? missing : report.suggestedAllow;
  if (rules.length > shownRules) return `--allow-from FILE with the list of ${show}`;
  const { egress } = options;
  const without = egress === void 0 || egress === "enforce" ? "" : ` instead of --egress ${egress}`;
  return rules.map((rule) => `--allow ${quoted(printable(rule))}`).join(" ") + without;
}
function quoted(rule) {
  return /^[\w.:/-]+$/.test(rule) ? rule : `'${rule.replaceAll("'", `'\\''`)}'`;
}
function timesOf(count) {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${String(count)} times`;
}

// hostd/cli/egress-options.ts
import { readFile as readFile2 } from "node:fs/promises";
import { text } from "node:stream/consumers";
var ruleHelp = `
A rule is host[:port] (443 unless given), host:*, *.domain[:port] (not the
domain itself), CIDR:port or [IPv6]:port, with udp:, tls: or http: in front
where it is not plain. "private" after a rule lets its name have private
addresses. auto:npm, auto:pip and auto:apt stand for the hosts that this
machine's configuration of npm, pip or apt names. Lists may have # comments.

Modes: enforce allows what the rules name and nothing else; audit lets
everything public through and records what the rules do not name; open lets
everything public through; none nothing, not even DNS. What is private is
closed in every mode, unless a rule names it.`;
var reasonHelp = `
Why something was denied:
  dns-name, sni, host-header  no rule names the host that DNS, TLS or HTTP asked for
  port                        a rule names the host, but not this port
  address                     no rule opens the address
  protocol                    not TLS on a TLS port, not HTTP on an HTTP port, ICMP and the like
  no-name                     TLS or HTTP that names no host
  private-range               a private address, or another that is closed in every mode
  rebind                      a name that leads to one; "private" after its rule lets it`;
function addEgressOptions(command, absent) {
  return command.addOption(modeOption("--egress <mode>", `what it may reach (default: ${absent}; enforce with --allow)`)).option("--allow <rule>", "let it reach this, or this list; may be repeated; see below", repeated).option("--allow-from <file>", "the same from a file; - is standard input; may be repeated", repeated).addHelpText("after", ruleHelp);
}
function modeOption(flags, description) {
  return new Option(flags, description).choices(egressModes);
}
async function egressRequest(options) {
  const { egress, allow, allowFrom } = options;
  if (allow === void 0 && allowFrom === void 0) return egress === void 0 ? {} : { egress: { mode: egress } };
  const rules = [...allow ?? [], ...await readRules(allowFrom ?? [])];
  refuseRulesOfNone(egress, rules);
  return { egress: egress === void 0 ? rules : { mode: egress, allow: rules } };
}
function refuseRulesOfNone(mode, rules) {
  if (mode !== "none" || egressWords(rules).length === 0) return;
  throw new OffshootError("usage", {
    message: "Mode none allows nothing, so it takes no rules.",
    hint: "Leave out the rules, or the mode: rules alone mean enforce."
  });
}
async function readRules(files) {
  if (files.filter((file) => file === "-").length > 1) {
    throw new OffshootError("usage", {
      message: "Standard input can be read as rules only once.",
      hint: "Give - once."
    });
  }
  const texts = [];
  for (const file of files) texts.push(await readList(file));
  return texts;
}
async function readList(file) {
  try {
    return file === "-" ? await text(process.stdin) : await readFile2(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OffshootError("local-file-error", { message: `The rules could not be read: ${why}`, cause: error });
  }
}

// hostd/cli/machine-options.ts
function addMachineOptions(command) {
  command.option("--image <name>", 'the image to start from (default: "default")').option("--snapshot <name>", "start as a copy of this snapshot instead; it has its own image and size").option("--boot-disk", "boot from the snapshot's disk alone, without its memory and processes").option("--cpus <n>", "virtual CPUs (default: 1)", wholeNumber(1)).option("--memory <MiB>", "memory (default: 512)", wholeNumber(1)).option("--disk <MiB>", "disk (default: 8192)", wholeNumber(1)).option("--wait <seconds>", "how long to wait for room on the host", wholeNumber(0), 0).option("--label <key=value>", "label it; may be repeated", keyValue);
  return addEgressOptions(command, "the snapshot's, or as the host is set up");
}
async function machineRequest(options) {
  return {
    waitSeconds: options.wait,
    labels: options.label ?? {},
    connection: connectionOf(options),
    ...options.image === void 0 ? {} : { image: options.image },
    ...options.snapshot === void 0 ? {} : { snapshot: options.snapshot },
    ...options.bootDisk === void 0 ? {} : { bootDisk: true },
    ...options.cpus === void 0 ? {} : { cpus: options.cpus },
    ...options.memory === void 0 ? {} : { memoryMiB: options.memory },
    ...options.disk === void 0 ? {} : { diskMiB: options.disk },
    ...await egressRequest(options)
  };
}

// hostd/cli/commands/run.ts
var leaseSeconds = 300;
function addRunCommand(program2) {
  const command = clientCommand(
    program2,
    "run [command...]",
    "run a command in a fresh sandbox and destroy it; its exit code becomes this command's"
  );
  addMachineOptions(command).option("--timeout <seconds>", "end the command after this long", wholeNumber(1)).option("-e, --env <NAME=VALUE>", "set a variable (NAME alone: as it is here); may be repeated", envEntry).option("-u, --user <user>", "as whom: a name, uid or uid:gid (default: root)").option("-c, --shell <text>", "a text for /bin/sh instead of a command and its arguments").option("-i, --stdin", "pass standard input on").option("--workdir-from <folder>", "copy this folder's content into /workspace first").option("--exclude <glob>", "leave this out of the copy; may be repeated", repeated).option(
    "--download <remote[:local]>",
    "bring this file or folder back afterwards, whatever the exit code; may be repeated",
    repeated
  ).option("--keep", "leave the sandbox running").option("--timings", "print where the time went").passThroughOptions().action(async (command2, options) => {
    process.exitCode = await runCommand(command2, options);
  });
}
async function runCommand(command, options) {
  if (options.shell === void 0 === (command.length === 0)) {
    throw new OffshootError("usage", {
      message: "run needs a command or --shell TEXT.",
      hint: "offshoot run -- make test"
    });
  }
  if (options.stdin === true && options.allowFrom?.includes("-") === true) {
    throw new OffshootError("usage", {
      message: "Standard input can not be both the rules and the input of the command.",
      hint: "Give the rules as a file."
    });
  }
  const watch = new Stopwatch();
  const leaving = new AbortController();
  const leave2 = () => {
    leaving.abort();
  };
  process.once("SIGINT", leave2).once("SIGTERM", leave2);
  let sandbox;
  const ended = {};
  try {
    sandbox = await Sandbox.create({
      ...await machineRequest(options),
      timeoutSeconds: leaseSeconds,
      signal: leaving.signal
    });
    const lease = keepLease(sandbox, leaseSeconds);
    try {
      return await work(sandbox, options.shell ?? command, options, watch, leaving.signal, ended);
    } finally {
      lease.stop();
    }
  } catch (error) {
    if (leaving.signal.aborted) return 130;
    throw error;
  } finally {
    process.off("SIGINT", leave2).off("SIGTERM", leave2);
    if (sandbox !== void 0) await finish(sandbox, options, watch, leaving.signal.aborted, ended);
  }
}
async function work(sandbox, command, options, watch, signal, ended) {
  const { queuedMs, readyMs } = sandbox.info.timings;
  watch.add("queued", queuedMs);
  watch.add("restored", (readyMs ?? 0) - queuedMs);
  watch.lap();
  if (options.workdirFrom !== void 0) {
    await sandbox.files.upload(options.workdirFrom, "/workspace", {
      exclude: options.exclude ?? [],
      signal,
      owner: "0:0"
    });
    watch.lap("sent in");
  }
  const request2 = {
    ...options.env === void 0 ? {} : { env: options.env },
    ...options.user === void 0 ? {} : { user: options.user },
    ...options.timeout === void 0 ? {} : { timeoutMs: options.timeout * 1e3 }
  };
  if (options.json === true) {
    const result = await sandbox.exec(command, { ...request2, signal });
    watch.lap("done");
    ended.result = { sandboxId: sandbox.id, ...result, timings: watch.toJSON() };
    await bringBack(sandbox, options, signal, watch);
    return result.exitCode;
  }
  const handle = await sandbox.spawn(command, { ...request2, stdin: options.stdin === true });
  const exec = await streamExec(handle, {
    forwardInput: options.stdin === true,
    onFirstOutput: () => {
      watch.lap("first output");
    },
    signal
  });
  watch.lap("done");
  await bringBack(sandbox, options, signal, watch);
  return exitCodeOf(exec);
}
async function bringBack(sandbox, options, signal, watch) {
  for (const download of options.download ?? []) {
    const at = download.lastIndexOf(":");
    const [remote, local] = at < 1 ? [download, "."] : [download.slice(0, at), download.slice(at + 1)];
    await sandbox.files.download(remote, local === "" ? "." : local, { signal });
  }
  if (options.download !== void 0) watch.lap("brought back");
}
async function finish(sandbox, options, watch, interrupted, { result }) {
  let egress;
  try {
    if (options.keep !== true) {
      watch.lap();
      await sandbox.stop();
      watch.lap("destroyed");
    }
    if (!interrupted && (options.json !== true || result !== void 0)) egress = await reportWithinDeadline(sandbox);
  } finally {
    if (result !== void 0) printJson({ ...result, egress: egress ?? null });
  }
  if (options.json !== true && egress !== void 0) process.stderr.write(denialNotice(sandbox.id, egress, options));
  if (options.keep === true) {
    process.stderr.write(
      `offshoot: ${sandbox.id} goes on; it ends by itself in ${String(leaseSeconds)} s unless renewed
`
    );
  } else if (options.timings === true) {
    const rows = watch.entries().map(([name, ms]) => [name, milliseconds(ms)]);
    process.stderr.write(`
${table(["step", "took"], rows)}`);
  }
}

// hostd/cli/change-each.ts
async function changeEach(ids, options, change) {
  const changed = [];
  for (const id of ids) {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    changed.push(await change(sandbox));
    await sandbox.disconnect();
    if (options.json !== true) process.stdout.write(`${id}
`);
  }
  if (options.json === true) printJson({ sandboxes: changed });
}

// hostd/cli/sandbox-view.ts
var header = ["ID", "STATE", "FROM", "GEN", "CPUS", "MEMORY", "ISOLATION", "AGE", "EXPIRES", "LABELS"];
function sandboxTable(sandboxes, nowMs = Date.now()) {
  return table(
    header,
    sandboxes.map((info) => row(info, nowMs))
  );
}
function describeSandbox(info) {
  const rows = [
    ["state", info.end === null ? stateOf(info) : `${info.state}: ${info.end.reason}: ${info.end.message}`],
    ["image", info.image],
    ...info.snapshot === null ? [] : [["snapshot", info.snapshot]],
    ...info.forkedFrom === null ? [] : [["forked from", info.forkedFrom]],
    ["generation", String(info.generation)],
    ...info.paused === null ? [] : [["paused since", info.paused.since]],
    ["size", `${String(info.cpus)} CPU, ${String(info.memoryMiB)} MiB memory, ${String(info.diskMiB)} MiB disk`],
    ["isolation", `${info.isolation.tier}: ${info.isolation.reason}`],
    ...policyRows(info.egress, `offshoot sandbox firewall show ${info.id}`),
    ["created", info.createdAt],
    [info.endedAt === null ? "expires" : "ended", info.endedAt ?? info.expiresAt],
    ["labels", JSON.stringify(info.labels)],
    [
      "used",
      `${info.usage.wallSeconds.toFixed(1)} s, ${info.usage.cpuSeconds.toFixed(1)} CPU s, ${info.usage.peakMemoryMiB.toFixed(0)} MiB peak`
    ],
    ["queued", milliseconds(info.timings.queuedMs)],
    ["ready after", milliseconds(info.timings.readyMs)]
  ];
  return table([info.id, ""], rows);
}
function row(info, nowMs) {
  const left = info.endedAt === null ? shortDuration((Date.parse(info.expiresAt) - nowMs) / 1e3) : "-";
  return [
    info.id,
    info.end === null ? stateOf(info) : `${info.state} (${info.end.reason})`,
    originOf(info),
    String(info.generation),
    String(info.cpus),
    `${String(info.memoryMiB)} MiB`,
    info.isolation.tier,
    shortDuration((nowMs - Date.parse(info.createdAt)) / 1e3),
    left,
    Object.entries(info.labels).map(([name, value]) => `${name}=${value}`).join(",")
  ];
}
function originOf(info) {
  if (info.forkedFrom !== null) return info.forkedFrom;
  return info.snapshot === null ? info.image : `snapshot ${info.snapshot}`;
}
function stateOf(info) {
  return info.paused?.hibernated === true ? `${info.state} (hibernated)` : info.state;
}

// hostd/cli/commands/cp.ts
import { pipeline } from "node:stream/promises";
function addCpCommand(parent) {
  clientCommand(
    parent,
    "cp <source> <target>",
    "copy files: ID:PATH names a path in a sandbox, - standard input or output"
  ).option("--exclude <glob>", "leave this out of a folder; may be repeated", repeated).action(async (source, target, options) => {
    const from = remotePath(source);
    const to = remotePath(target);
    if (from === void 0 === (to === void 0)) {
      throw new OffshootError("usage", {
        message: "cp copies into or out of one sandbox.",
        hint: "offshoot sandbox cp ./src ID:/workspace, or offshoot sandbox cp ID:/workspace/out ./out"
      });
    }
    const exclude = options.exclude ?? [];
    if (to !== void 0) {
      const { files } = await Sandbox.connect(to.id, connectionOf(options));
      if (source === "-") await files.write(to.path, process.stdin);
      else await files.upload(source, to.path, { exclude });
    }
    if (from !== void 0) {
      const { files } = await Sandbox.connect(from.id, connectionOf(options));
      if (target === "-") await pipeline(await files.readStream(from.path), process.stdout, { end: false });
      else await files.download(from.path, target, { exclude });
    }
    if (options.json === true && target !== "-") printJson({ source, target });
  });
}
function remotePath(text2) {
  const match = /^(sbx_[^:/]+):(.*)$/s.exec(text2);
  if (match?.[1] === void 0) return void 0;
  return { id: match[1], path: match[2] === void 0 || match[2] === "" ? "/workspace" : match[2] };
}

// hostd/cli/commands/create.ts
function addCreateCommand(parent) {
  addMachineOptions(clientCommand(parent, "create", "create a sandbox and print its id")).option("--id <id>", "the id it shall have: sbx_ and letters, digits, - or _").option("--timeout <seconds>", "how long it may live without renewal", wholeNumber(1), 3600).option("-e, --env <NAME=VALUE>", "default environment of its execs; may be repeated", envEntry).action(async (options) => {
    const sandbox = await Sandbox.create({
      ...await machineRequest(options),
      timeoutSeconds: options.timeout,
      env: options.env ?? {},
      ...options.id === void 0 ? {} : { id: options.id }
    });
    if (options.json === true) printJson(sandbox.info);
    else process.stdout.write(`${sandbox.id}
`);
  });
}

// hostd/cli/exec-notice.ts
async function printExecNotice(sandbox, { exitCode, startedAt }) {
  if (exitCode === null || exitCode === 0) return;
  const report = await reportWithinDeadline(sandbox);
  if (report !== void 0) process.stderr.write(execNotice(sandbox.id, report, startedAt));
}
function execNotice(id, report, sinceAt) {
  const { policy } = report;
  const since = Date.parse(sinceAt);
  const listed = report.denied.filter(({ blocked, lastAt }) => blocked && Date.parse(lastAt) >= since);
  if (listed.length === 0) return "";
  const show = `offshoot sandbox firewall show ${id}`;
  const left = listed.length - shownPlaces;
  const places = listed.length === 1 ? "1 place" : `${String(listed.length)} places`;
  const remedy = remedyFor2(id, report, listed, show);
  const lines = [
    ...listed.slice(0, shownPlaces).map((entry) => denialWords(entry) + meantPart(entry, policy.allow)),
    ...left > 0 ? [`and ${String(left)} more: ${show}`] : [],
    ...remedy === void 0 ? [] : [`to allow it: ${remedy}`]
  ];
  const head = `offshoot: egress ${policy.mode}: ${places} not allowed while it ran
`;
  return head + lines.map((line) => `  ${line}
`).join("");
}
function remedyFor2(id, report, listed, show) {
  if (report.policy.mode !== "enforce") return void 0;
  const hosts = listed.flatMap(({ name, address }) => name ?? address ?? []);
  const wanted = missingRules(report).filter(
    (rule) => hosts.some((host) => rule.replace(/^udp:/, "").startsWith(`${host}:`))
  );
  if (wanted.length === 0) return void 0;
  const rules = [...report.policy.allow, ...wanted];
  const set = `offshoot sandbox firewall set ${id}`;
  if (rules.length > shownRules) return `${set} --from FILE with the list of ${show}`;
  return `${set} ${rules.map((rule) => quoted(printable(rule))).join(" ")}`;
}

// hostd/cli/commands/exec.ts
function addExecCommand(parent) {
  clientCommand(parent, "exec <id> [command...]", "run a command in a sandbox; its exit code becomes this command's").option("-c, --shell <text>", "a text for /bin/sh instead of a command and its arguments").option("-e, --env <NAME=VALUE>", "set a variable (NAME alone: as it is here); may be repeated", envEntry).option("-w, --cwd <folder>", "where to run it (default: /workspace)").option("-u, --user <user>", "as whom: a name, uid or uid:gid (default: root)").option("--timeout <seconds>", "end it after this long", wholeNumber(1)).option("-i, --stdin", "pass standard input on").option("-t, --tty", "give it a terminal").option("-d, --detach", 'start it and print its id; "logs" shows its output').passThroughOptions().action(async (id, command, options) => {
    process.exitCode = await execCommand(id, command[0] === "--" ? command.slice(1) : command, options);
  });
}
async function execCommand(id, command, options) {
  if (command[0]?.startsWith("-") === true) {
    throw new OffshootError("usage", {
      message: `${command[0]} comes after the id, so it would be the command.`,
      hint: "Options go before the id: offshoot sandbox exec --user nobody ID -- id"
    });
  }
  if (options.shell === void 0 === (command.length === 0)) {
    throw new OffshootError("usage", {
      message: "exec needs a command or --shell TEXT.",
      hint: "offshoot sandbox exec ID -- ls -l"
    });
  }
  if (options.tty === true) {
    const { runInTerminal } = await import("./chunk-G4QL6V3M.mjs");
    return runInTerminal(id, options.shell ?? command, { ...options, connection: connectionOf(options) });
  }
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  const handle = await sandbox.spawn(options.shell ?? command, {
    stdin: options.stdin === true,
    ...options.env === void 0 ? {} : { env: options.env },
    ...options.cwd === void 0 ? {} : { cwd: options.cwd },
    ...options.user === void 0 ? {} : { user: options.user },
    ...options.timeout === void 0 ? {} : { timeoutMs: options.timeout * 1e3 }
  });
  if (options.detach === true) {
    if (options.json === true) printJson(await handle.info());
    else process.stdout.write(`${handle.id}
`);
    return 0;
  }
  if (options.json === true) {
    const { collectOutput } = await import("./chunk-O7IRYLCG.mjs");
    const result = await collectOutput(handle, {});
    printJson(result);
    return result.exitCode;
  }
  const ended = await streamExec(handle, { forwardInput: options.stdin === true });
  const exitCode = exitCodeOf(ended);
  await printExecNotice(sandbox, ended);
  return exitCode;
}

// hostd/cli/commands/firewall.ts
function addFirewallCommands(sandboxCommand) {
  const parent = sandboxCommand.command("firewall").description("change and show what a sandbox may reach");
  clientCommand(
    parent,
    "set <id> [rule...]",
    "give it these rules in place of its own; in force at once, connections they do not allow are cut"
  ).addOption(modeOption("--egress, --mode <mode>", "how they hold (default: enforce)")).option("--allow <rule>", "the same as a rule after the id; may be repeated", repeated).option("--allow-from, --from <file>", "rules from a file; - is standard input; may be repeated", repeated).addHelpText("after", ruleHelp).action(setRules);
  clientCommand(parent, "show <id>", "what it may reach, what it reached and what was denied, with a list to paste").addHelpText("after", `
Also of a sandbox that has ended, while hostd remembers it.
${reasonHelp}`).action(async (id, options) => {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    const report = await sandbox.egressReport();
    if (options.json === true) printJson(report);
    else process.stdout.write(describeReport(id, report));
  });
  clientCommand(parent, "clear <id>", "take its rules away: back to the host's default mode, without rules").addHelpText("after", "\nThat opens it on most hosts; to close it: offshoot sandbox firewall set ID --mode none").action(async (id, options) => {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    const mode = await defaultMode(options);
    printPolicy(id, await sandbox.setEgress({ mode, allow: [] }), options);
  });
}
async function setRules(id, words, options) {
  const rules = [...words, ...options.allow ?? []];
  if (rules.length === 0 && options.from === void 0 && options.mode === void 0) {
    throw new OffshootError("usage", {
      message: "firewall set needs rules, --from FILE or --mode MODE.",
      hint: "offshoot sandbox firewall set ID registry.example:443; to allow nothing at all: --mode none"
    });
  }
  const allow = [...rules, ...await readRules(options.from ?? [])];
  refuseRulesOfNone(options.mode, allow);
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  printPolicy(id, await sandbox.setEgress({ mode: options.mode ?? "enforce", allow }), options);
}
async function defaultMode(options) {
  var _stack = [];
  try {
    const host = __using(_stack, new HostClient(connectionOf(options)), true);
    const { defaultEgressMode } = (await host.info()).network;
    const mode = egressModeSchema.safeParse(defaultEgressMode);
    if (mode.success) return mode.data;
    throw new OffshootError("protocol-mismatch", {
      message: `The default egress mode of this host, ${defaultEgressMode}, is not known here.`
    });
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function printPolicy(id, policy, options) {
  if (options.json === true) printJson(policy);
  else process.stdout.write(describePolicy(id, policy));
}

// hostd/cli/commands/fork.ts
function addForkCommand(parent) {
  const command = clientCommand(
    parent,
    "fork <id>",
    "start running copies of a sandbox and print their ids; Ctrl-C cancels it"
  ).option("--count <n>", "how many, 1 to 100", wholeNumber(1), 1).option("--label <key=value>", "label the copies, over the source's labels; may be repeated", keyValue).option("--timeout <seconds>", "how long each may live without renewal (default: as the source)", wholeNumber(1)).option("--keep-snapshot [name]", "keep what they start from as a snapshot; give it after the id");
  addEgressOptions(command, "as the source").action(async (id, options) => {
    process.exitCode = await forkCommand(id, options);
  });
}
async function forkCommand(id, options) {
  const source = await Sandbox.connect(id, connectionOf(options));
  const leaving = new AbortController();
  const leave2 = () => {
    process.stderr.write("offshoot: cancelling the fork\n");
    leaving.abort();
  };
  process.once("SIGINT", leave2).once("SIGTERM", leave2);
  if (options.json !== true) process.stderr.write(`offshoot: forking ${id}, ${copies(options.count)}
`);
  try {
    const forked = await source.fork({ ...await request(options), signal: leaving.signal });
    if (options.json === true) printJson({ ...source.lastFork, sandboxes: forked.map(({ info }) => info) });
    else printCopies(source.lastFork);
    return 0;
  } catch (error) {
    if (leaving.signal.aborted) return 130;
    if (isForkFailed(error) && options.json !== true) {
      for (const started of error.details.startedSandboxIds) process.stdout.write(`${started}
`);
      for (const { index, code, message } of error.details.failures) {
        process.stderr.write(`offshoot: copy ${String(index)} did not start: ${message} [${code}]
`);
      }
    }
    throw error;
  } finally {
    process.off("SIGINT", leave2).off("SIGTERM", leave2);
  }
}
async function request(options) {
  return {
    count: options.count,
    labels: options.label ?? {},
    keepSnapshot: options.keepSnapshot ?? false,
    ...options.timeout === void 0 ? {} : { timeoutSeconds: options.timeout },
    ...await egressRequest(options)
  };
}
function printCopies(report) {
  if (report === void 0) return;
  const { sandboxIds, pausedMs, method, snapshot } = report;
  const kept = snapshot === null ? "" : `; kept as the snapshot ${snapshot.name}`;
  const how = `the source stood still for ${milliseconds(pausedMs)} (${method})`;
  process.stderr.write(`offshoot: ${copies(sandboxIds.length)}; ${how}${kept}
`);
  for (const id of sandboxIds) process.stdout.write(`${id}
`);
}
function copies(count) {
  return count === 1 ? "1 copy" : `${String(count)} copies`;
}

// hostd/cli/commands/logs.ts
function addLogsCommand(parent) {
  clientCommand(parent, "logs <id> [exec]", "print the output of an exec (default: the newest one)").option("-f, --follow", "wait for more until it ends").option("--from <offset>", "start at this byte", wholeNumber(0), 0).option("--console", "the console of the sandbox's kernel instead").action(logs);
}
async function logs(id, execId, options) {
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  if (options.console === true) {
    process.stdout.write(await sandbox.console());
    return;
  }
  const chosen = execId ?? (await sandbox.execs()).at(-1)?.id;
  if (chosen === void 0) {
    throw new OffshootError("exec-not-found", {
      message: `${id} has run nothing yet.`,
      hint: "offshoot sandbox exec ID -- CMD"
    });
  }
  const handle = sandbox.execHandle(chosen);
  const follow = options.follow === true;
  if (options.json !== true) {
    await streamExec(handle, { from: options.from, follow });
    return;
  }
  for await (const { stream, offset, bytes } of handle.output({ from: options.from, follow })) {
    printJsonLine({ stream, offset, base64: bytes.toString("base64") });
  }
  printJsonLine({ end: await handle.info() });
}

// hostd/cli/commands/pause.ts
function addPauseCommands(parent) {
  clientCommand(parent, "pause <id...>", "let sandboxes stand still: no CPU at once, after a while no memory").option(
    "--hibernate-after <seconds>",
    "when memory goes to disk; 0 is at once (default: as the host is set up)",
    wholeNumber(0)
  ).action(async (ids, options) => {
    const after = options.hibernateAfter;
    const request2 = after === void 0 ? {} : { hibernateAfterSeconds: after };
    await changeEach(ids, options, (sandbox) => sandbox.pause(request2));
  });
  clientCommand(parent, "resume <id...>", "let paused sandboxes run again").action(
    async (ids, options) => {
      await changeEach(ids, options, (sandbox) => sandbox.resume());
    }
  );
}

// hostd/cli/commands/shell.ts
var startShell = "if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi";
var leaseSeconds2 = 300;
function addShellCommand(parent) {
  clientCommand(parent, "shell [id]", "open a shell in a sandbox, or in a copy of a snapshot").option(
    "--snapshot <name>",
    "start a sandbox from this snapshot for the shell, and destroy it afterwards",
    snapshotName
  ).option("-w, --cwd <folder>", "where (default: /workspace)").option("-u, --user <user>", "as whom (default: root)").action(async (id, options) => {
    if (id === void 0 === (options.snapshot === void 0)) {
      throw new OffshootError("usage", {
        message: "shell needs the id of a sandbox, or --snapshot NAME.",
        hint: "offshoot sandbox shell ID"
      });
    }
    process.exitCode = id === void 0 ? await shellInCopy(options) : await openShell(id, options);
  });
}
async function openShell(id, options) {
  const { runInTerminal } = await import("./chunk-G4QL6V3M.mjs");
  return runInTerminal(id, startShell, { ...options, connection: connectionOf(options) });
}
async function shellInCopy(options) {
  var _stack = [];
  try {
    const { snapshot = "" } = options;
    const sandbox = __using(_stack, await Sandbox.create({
      snapshot,
      timeoutSeconds: leaseSeconds2,
      connection: connectionOf(options)
    }), true);
    process.stderr.write(`offshoot: ${sandbox.id} is a copy of ${snapshot}; it ends with this shell
`);
    const lease = keepLease(sandbox, leaseSeconds2);
    try {
      return await openShell(sandbox.id, options);
    } finally {
      lease.stop();
    }
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function snapshotName(text2) {
  if (text2 === "") throw new InvalidArgumentError("must be the name of a snapshot");
  return text2;
}

// hostd/cli/commands/snapshot.ts
function addTakeSnapshotCommand(parent) {
  clientCommand(parent, "snapshot <id>", "keep memory, disk and processes of a sandbox under a name; it goes on").requiredOption("--name <name>", "lower-case letters, digits, ., - and _").option("--retention-days <days>", "remove it after this many days (default: never)", days).action(async (id, options) => {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    const { name, retentionDays } = options;
    const snapshot = await sandbox.snapshot({ name, ...retentionDays === void 0 ? {} : { retentionDays } });
    if (options.json === true) printJson(snapshot);
    else process.stdout.write(`${snapshot.name}
`);
  });
}
function addSnapshotCommands(program2) {
  const parent = program2.command("snapshot").description('list and remove snapshots; "sandbox snapshot" takes one');
  clientCommand(parent, "list", "list snapshots").action(async (options) => {
    var _stack = [];
    try {
      const host = __using(_stack, new HostClient(connectionOf(options)), true);
      const snapshots = await host.snapshots.list();
      if (options.json === true) printJson({ snapshots });
      else process.stdout.write(snapshotTable(snapshots));
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  });
  clientCommand(parent, "inspect <name>", "show everything about a snapshot").action(
    async (name, options) => {
      var _stack = [];
      try {
        const host = __using(_stack, new HostClient(connectionOf(options)), true);
        const snapshot = await host.snapshots.get(name);
        if (options.json === true) printJson(snapshot);
        else process.stdout.write(describeSnapshot(snapshot));
      } catch (_) {
        var _error = _, _hasError = true;
      } finally {
        var _promise = __callDispose(_stack, _error, _hasError);
        _promise && await _promise;
      }
    }
  );
  clientCommand(parent, "rm <name...>", "remove snapshots that no sandbox stands on").action(
    async (names, options) => {
      var _stack = [];
      try {
        const host = __using(_stack, new HostClient(connectionOf(options)), true);
        for (const name of names) {
          await host.snapshots.remove(name);
          if (options.json !== true) process.stdout.write(`${name}
`);
        }
        if (options.json === true) printJson({ removed: names });
      } catch (_) {
        var _error = _, _hasError = true;
      } finally {
        var _promise = __callDispose(_stack, _error, _hasError);
        _promise && await _promise;
      }
    }
  );
}
function snapshotTable(snapshots, nowMs = Date.now()) {
  const rows = snapshots.map((snapshot) => [
    snapshot.name,
    snapshot.image,
    String(snapshot.cpus),
    `${String(snapshot.memoryMiB)} MiB`,
    `${snapshot.storedMiB.toFixed(0)} MiB`,
    snapshot.restorable.ok ? "yes" : "no: disk only",
    shortDuration((nowMs - Date.parse(snapshot.createdAt)) / 1e3),
    snapshot.expiresAt === null ? "never" : shortDuration((Date.parse(snapshot.expiresAt) - nowMs) / 1e3),
    String(snapshot.usedBy.length)
  ]);
  return table(["NAME", "IMAGE", "CPUS", "MEMORY", "STORED", "RESTORABLE", "AGE", "EXPIRES", "USED BY"], rows);
}
function describeSnapshot(snapshot) {
  const { vmm, restorable } = snapshot;
  return table(
    [snapshot.name, ""],
    [
      ["taken of", snapshot.sandboxId],
      ["image", snapshot.image],
      [
        "size",
        `${String(snapshot.cpus)} CPU, ${String(snapshot.memoryMiB)} MiB memory, ${String(snapshot.diskMiB)} MiB disk`
      ],
      ["stored", `${snapshot.storedMiB.toFixed(0)} MiB`],
      ...policyRows(snapshot.egress, `offshoot snapshot inspect ${snapshot.name} --json`),
      ["created", snapshot.createdAt],
      ["expires", snapshot.expiresAt ?? "never"],
      ["made with", `${vmm.name} ${vmm.version}, ${vmm.machine}, CPU ${vmm.cpuModel}, ${vmm.tier}`],
      ["agent protocol", String(vmm.agentProtocol)],
      ["env values", snapshot.hasEnvValues ? "were given: its memory may hold secrets" : "none were given"],
      ["restorable", restorable.ok ? "yes" : `no: ${restorable.reason}; its disk can be booted (--boot-disk)`],
      ["used by", snapshot.usedBy.length === 0 ? "-" : snapshot.usedBy.join(", ")]
    ]
  );
}
function days(text2) {
  const value = Number(text2);
  if (!/^\d+(\.\d+)?$/.test(text2) || value <= 0) throw new InvalidArgumentError("must be a number of days above 0");
  return value;
}

// hostd/cli/commands/sandbox.ts
function addSandboxCommands(program2) {
  const parent = program2.command("sandbox").description("create, use, fork, pause and stop sandboxes");
  addCreateCommand(parent);
  addListCommand(parent);
  clientCommand(parent, "inspect <id>", "show everything about a sandbox").action(
    async (id, options) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      if (options.json === true) printJson(sandbox.info);
      else process.stdout.write(describeSandbox(sandbox.info));
    }
  );
  addExecCommand(parent);
  addShellCommand(parent);
  addCpCommand(parent);
  addLogsCommand(parent);
  addForkCommand(parent);
  addPauseCommands(parent);
  addTakeSnapshotCommand(parent);
  addFirewallCommands(parent);
  addRenewCommand(parent);
  addStopCommand(parent);
}
function addListCommand(parent) {
  clientCommand(parent, "list", "list sandboxes").option("--label <key=value>", "only those with this label; may be repeated", keyValue).option("--all", "also those that have ended").action(async (options) => {
    const sandboxes = await Sandbox.list({
      labels: options.label ?? {},
      all: options.all === true,
      connection: connectionOf(options)
    });
    if (options.json === true) printJson({ sandboxes });
    else process.stdout.write(sandboxTable(sandboxes));
  });
}
function addRenewCommand(parent) {
  clientCommand(parent, "renew <id>", "let a sandbox live longer").option("--timeout <seconds>", "how long from now", wholeNumber(1), 3600).option("--shorten", "also when that is sooner than its lease now").action(async (id, options) => {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    const info = await sandbox.renew(options.timeout, { shorten: options.shorten === true });
    if (options.json === true) printJson(info);
    else process.stdout.write(`${id} lives until ${info.expiresAt}
`);
  });
}
function addStopCommand(parent) {
  clientCommand(parent, "stop <id...>", "destroy sandboxes").action(async (ids, options) => {
    await changeEach(ids, options, (sandbox) => sandbox.stop());
  });
}

// hostd/cli/failure.ts
var ownFailureExitCode = 125;
var endDetailsSchema = external_exports.object({ end: external_exports.object({ message: external_exports.string().min(1) }) });
var shownIssues = 50;
var hints = { "sandbox-gone": "Create a new one." };
function reportFailure(error, json) {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ownFailureExitCode;
  const failure = asOffshootError(error);
  if (json) {
    const { code, message, hint, details } = failure;
    process.stderr.write(
      `${JSON.stringify({ error: { code, message, hint, retryable: failure.retryable, details } })}
`
    );
  } else {
    process.stderr.write(`offshoot: ${failure.message} [${failure.code}]
`);
    for (const issue of [...endOf(failure), ...issuesOf(failure)]) process.stderr.write(`  - ${issue}
`);
    const hint = hints[failure.code] ?? failure.hint;
    if (hint !== "") process.stderr.write(`  hint: ${hint}
`);
  }
  if (process.env["OFFSHOOT_DEBUG"] !== void 0) console.error(error);
  return ownFailureExitCode;
}
function asOffshootError(error) {
  if (error instanceof OffshootError) return error;
  if (isOffshootError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = "internal";
  return new OffshootError(code, {
    message,
    hint: `${catalogue[code].hint} OFFSHOOT_DEBUG=1 shows where it happened.`,
    cause: error
  });
}
function endOf({ details }) {
  const { success, data } = endDetailsSchema.safeParse(details);
  return success ? [data.end.message] : [];
}
function issuesOf(failure) {
  const issues = failure.details["issues"];
  if (!Array.isArray(issues)) return [];
  const left = issues.length - shownIssues;
  const shown = issues.slice(0, shownIssues).map((issue) => {
    if (typeof issue === "string") return issue;
    if (typeof issue !== "object" || issue === null || !("message" in issue)) return JSON.stringify(issue);
    const path2 = "path" in issue ? String(issue.path) : "";
    return path2 === "" ? String(issue.message) : `${path2}: ${String(issue.message)}`;
  });
  return left > 0 ? [...shown, `and ${String(left)} more`] : shown;
}

// hostd/cli/leave.ts
async function leave() {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write("", () => resolve()));
  }
  process.exit();
}

// hostd/cli/command-line.ts
function buildProgram() {
  const program2 = new Command("offshoot").description("CI builds in their own microVMs, fresh or forked").version(version).enablePositionalOptions().exitOverride().showHelpAfterError("(offshoot --help, or offshoot COMMAND --help)");
  addRunCommand(program2);
  addSandboxCommands(program2);
  addSnapshotCommands(program2);
  addImageCommands(program2);
  addEventsCommand(program2);
  addHostdCommand(program2);
  addDoctorCommand(program2);
  addCompletionCommand(program2);
  return program2;
}
async function runCommandLine(argv) {
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes("--json"));
  }
  if (!argv.includes("hostd")) await leave();
}

export {
  buildProgram,
  runCommandLine
};
