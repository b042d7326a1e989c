#include "cli/command.h"
int command_compare(int a, char **b){return 0;}
int command_completion(int a, char **b){return 0;}
int command_demo(int a, char **b){return 0;}
